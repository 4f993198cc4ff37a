import { dirname } from "node:path";
import { codeOf, isSqliteBusy, SessionDbError } from "../../src/errors.ts";
import { isDiskFull } from "../../src/files/file-system.ts";
import { collectGarbage } from "../../src/runtime/garbage.ts";
import { type CrashJournal, DEATHS, type Suspect } from "../../src/store/crash-journal.ts";
import { filesAt, type IndexFiles } from "../../src/store/location.ts";
import { quarantine, type Rebuilt } from "../../src/store/quarantine.ts";
import type { Component, DaemonContext, DaemonEvent } from "./component.ts";
import { IndexHandle } from "./index-handle.ts";
import { IndexRecovery } from "./index-recovery.ts";

export interface IndexSupervisorOptions {
  journal?: CrashJournal | null | undefined;
  isDiskFull?: ((folder: string) => boolean) | undefined;
}

type Context = Pick<DaemonContext, "location" | "roots" | "clock" | "log" | "isExcluded" | "emit">;

const BUSY_MS = 250;
const DISK_FULL_MS = 2000;
const DISK_FULL = "the disk that holds the index is almost full";

/**
 * Opens the index, closes it when it is broken, replaced or in others' way, and knows when to try again. Emits
 * `indexOpened`; rebuilds the full text on `fullTextDamaged`, and gives back memory that `rowsChanged` and sweeps have filled.
 */
export class IndexSupervisor implements Component {
  /** Null while it has to be opened. */
  current: IndexHandle | null = null;
  readonly #context: Context;
  readonly #journal: CrashJournal | null;
  readonly #isDiskFull: (folder: string) => boolean;
  readonly #recovery: IndexRecovery;
  readonly #memory = new MemoryReturn();
  #suspect: Suspect | null;
  #busyUntil = 0;
  /** Others need what room is left on the disk. */
  #lacksRoom = false;
  #fullUntil = 0;
  /** Whether the last try to open it succeeded. */
  #opens = false;
  /** The files that were opened last, or that an attempt to open would have met. */
  #files: IndexFiles;

  constructor(context: Context, options: IndexSupervisorOptions = {}) {
    this.#context = context;
    this.#journal = options.journal ?? null;
    this.#isDiskFull = options.isDiskFull ?? isDiskFull;
    this.#files = filesAt(context.location);
    this.#recovery = new IndexRecovery(context.clock, context.log);
    this.#suspect = this.#journal?.suspect ?? null;
  }

  /** What is wrong, for people. */
  get trouble(): string | null {
    return this.#lacksRoom ? DISK_FULL : this.#recovery.reason;
  }

  /** Nothing may be written before this time, in steady ms. */
  get blockedUntil(): number {
    return Math.max(this.#busyUntil, this.#fullUntil, this.#recovery.retryAt);
  }

  /** Whether the full text may be written: the rows that it follows are open, and there is room enough on the disk. */
  get mayFeed(): boolean {
    return this.current !== null && !this.#lacksRoom;
  }

  handle(event: DaemonEvent): void {
    switch (event.kind) {
      case "rowsChanged":
      case "indexOpened":
        this.#memory.noteReading();
        break;
      case "sweepEnded":
        this.#memory.noteSweep();
        break;
      case "fullTextDamaged":
        this.#rebuildFullText();
        break;
    }
  }

  stop(): void {
    this.close();
  }

  /** @throws SessionDbError as `IndexHandle` */
  open(): IndexHandle {
    const openedBefore = this.#opens;
    this.#opens = false;
    const { location, roots, log, clock, isExcluded, emit } = this.#context;
    this.#files = filesAt(location);
    const handle = new IndexHandle(location, { clock, journal: this.#journal, isExcluded, roots: roots.all });
    this.#files = handle.files;
    if (handle.index.wasEmptied) log.write("indexOutdated");
    try {
      this.#leaveAlone(handle);
    } catch (error) {
      handle.close();
      throw error;
    }
    this.current = handle;
    this.#opens = true;
    // An index that cannot be written can often be opened: then only writing shows that the trouble is over.
    if (!openedBefore) this.#recovery.over();
    emit({ kind: "indexOpened" });
    return handle;
  }

  /** Rows were written, or there was nothing to write. */
  worked(): void {
    this.#recovery.over();
  }

  close(): void {
    this.current?.close();
    this.current = null;
  }

  /** Gives back the memory that much work has filled, when that is due. */
  giveBackMemory(): void {
    this.#memory.giveBack(this.current);
  }

  /** Stops writing while there is too little room left on the disk, and goes on when there is enough again. */
  checkRoom(): void {
    if (this.current === null) return;
    const { location, log, clock } = this.#context;
    const isFull = this.#isDiskFull(dirname(location.indexPath));
    if (isFull !== this.#lacksRoom) log.write("disk", { isFull });
    this.#lacksRoom = isFull;
    if (isFull) this.#fullUntil = clock.steady() + DISK_FULL_MS;
  }

  /** Tells, and says in the log, when other files, or none, are where the open ones were: they have to be closed. */
  noticeReplaced(): boolean {
    if (!this.current?.isReplaced()) return false;
    this.#context.log.write("indexReplaced");
    return true;
  }

  /** Puts writing off for a moment when the error says that another process was in the way; false for other errors. */
  waitIfBusy(error: unknown): boolean {
    if (codeOf(error) !== "busy" && !isSqliteBusy(error)) return false;
    this.#busyUntil = this.#context.clock.steady() + BUSY_MS;
    return true;
  }

  /** Notes what is wrong with the database, which was closed: it may pass, or the index is rebuilt. */
  mend(error: unknown): void {
    if (this.#recovery.note(codeOf(error), error) !== "rebuild") return;
    const failure = this.#quarantine("index");
    if (failure !== null) this.#recovery.note(failure.code, failure);
  }

  /** The full text alone is rebuilt: the rows are whole. What is in its place is noticed and opened at the next tick. */
  #rebuildFullText(): void {
    if (!this.#recovery.mayRebuild("fullText")) return;
    const failure = this.#quarantine("fullText");
    if (failure === null) return;
    const { code, message } = failure;
    this.#context.log.write("fullTextFailed", { code, message });
  }

  /**
   * Moves what is damaged out of the way, but not what another process has made anew meanwhile.
   *
   * @returns why it could not be moved; null also where another process is in the way, which passes
   */
  #quarantine(what: Rebuilt): SessionDbError | null {
    try {
      if (!quarantine(what, this.#context.location, this.#files)) return null;
    } catch (error) {
      if (this.waitIfBusy(error)) return null;
      if (error instanceof SessionDbError && (canBeMended(error) || error.code === "index_foreign"))
        return error;
      throw error;
    }
    this.#recovery.rebuilt(what);
    this.#context.log.write(`${what}PutAside`);
    return null;
  }

  /** Leaves a file alone that has ended the daemon twice: it would do it again. */
  #leaveAlone({ indexer }: IndexHandle): void {
    if (this.#suspect === null) return;
    const { realPath, at, deaths } = this.#suspect;
    const path = indexer.tools.cursors.load(realPath)?.path ?? realPath;
    const isEnough = deaths >= DEATHS;
    if (isEnough) indexer.giveUp(path, realPath, `the daemon died ${deaths} times while reading it`);
    this.#suspect = null;
    this.#context.log.write("diedReading", { path: realPath, at, deaths, leftAlone: isEnough });
  }
}

/** Whether waiting, or rebuilding the index, may help; anything else is a bug or for people to mend. */
export function canBeMended(error: unknown): boolean {
  return error instanceof SessionDbError ? IndexRecovery.passes(error.code) : codeOf(error) !== "";
}

/**
 * When memory is given back, so that a daemon that has worked and now waits does not keep tens of megabytes for hours:
 * after a look at everything, if something was read since the last time. If nothing was, there is little to give back, and
 * to collect it takes a third as long as to look.
 */
export class MemoryReturn {
  /** To start takes memory, too. */
  #hasRead = true;
  #isDue = false;

  noteReading(): void {
    this.#hasRead = true;
  }

  noteSweep(): void {
    this.#isDue ||= this.#hasRead;
  }

  /** Does it when it is due. */
  giveBack(held: { shrink(): void } | null): void {
    if (!this.#isDue) return;
    this.#hasRead = false;
    this.#isDue = false;
    held?.shrink();
    collectGarbage();
  }
}
