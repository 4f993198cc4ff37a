import { statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, isSqliteBusy, SessionDbError } from "../../src/errors.ts";
import type { IsExcluded } from "../../src/file/exclude.ts";
import { isDiskFull } from "../../src/file/file-system.ts";
import { unlessUnreadable } from "../../src/file/unreadable.ts";
import { filesAt, type IndexFiles, type IndexLocation } from "../../src/store/location.ts";
import { putAside } from "../../src/store/quarantine.ts";
import type { Log } from "../control/log.ts";
import { DEATHS, type ReadingJournal, type Suspect } from "../journal.ts";
import { HeldIndex } from "./index-handle.ts";
import { type Remade, Trouble } from "./recovery.ts";
import type { Clock } from "./scheduler.ts";

export interface IndexKeeperOptions {
  location: IndexLocation;
  clock: Clock;
  log: Log;
  journal: ReadingJournal | null;
  isExcluded: IsExcluded;
  isDiskFull: ((folder: string) => boolean) | undefined;
}

const BUSY_MS = 250;

/** What is moved away so that it is made anew: without the index its full text stands for nothing. */
const PUT_ASIDE_FOR = {
  index: ["indexPath", "searchPath"],
  fullText: ["searchPath"],
} as const satisfies Record<Remade, readonly (keyof IndexLocation)[]>;

/** Opens the index, lets go of it when it is broken, replaced or in others' way, and knows when to try again. */
export class IndexKeeper {
  /** Null while it has to be opened. */
  held: HeldIndex | null = null;
  readonly #options: IndexKeeperOptions;
  readonly #trouble: Trouble;
  #suspect: Suspect | null;
  #busyUntil = 0;
  /** Whether the last try to open it succeeded. */
  #opens = false;
  /** The files that were opened last, or that an attempt to open would have met. */
  #files: IndexFiles;

  constructor(options: IndexKeeperOptions) {
    this.#options = options;
    this.#files = filesAt(options.location);
    this.#trouble = new Trouble(options.clock, options.log);
    this.#suspect = options.journal?.suspect ?? null;
  }

  /** What is wrong, for people. */
  get reason(): string | null {
    return this.#trouble.reason;
  }

  /** Nothing may be written before this time, in steady ms. */
  get blockedUntil(): number {
    return Math.max(this.#busyUntil, this.#trouble.retryAt);
  }

  /** Whether the full text may be written: the rows that it follows are open, and there is room enough on the disk. */
  get mayFeed(): boolean {
    return this.held !== null && !this.#trouble.isDiskFull;
  }

  /** @throws SessionDbError as `openIndex`, which makes a folder that is missing, but none for it to lie in */
  open(): HeldIndex {
    const openedBefore = this.#opens;
    this.#opens = false;
    assertPlace(this.#options.location);
    this.#files = filesAt(this.#options.location);
    const held = new HeldIndex(this.#options.location, this.#options);
    this.#files = held.files;
    if (held.index.wasEmptied) this.#options.log.write("indexOutdated");
    try {
      this.#leaveAlone(held);
    } catch (error) {
      held.close();
      throw error;
    }
    this.held = held;
    this.#opens = true;
    // An index that cannot be written can often be opened: then only writing shows that the trouble is over.
    if (!openedBefore) this.#trouble.over();
    return held;
  }

  /** Rows were written, or there was nothing to write. */
  worked(): void {
    if (!this.#trouble.isDiskFull) this.#trouble.over();
  }

  close(): void {
    this.held?.close();
    this.held = null;
  }

  /** Stops writing while there is too little room left on the disk, and goes on when there is enough again. */
  lookAtRoom(): void {
    if (this.held === null) return;
    const isFull = this.#options.isDiskFull ?? isDiskFull;
    this.#trouble.disk(isFull(dirname(this.#options.location.indexPath)));
  }

  /** Tells, and says in the log, when other files, or none, are where the open ones were: they have to be let go of. */
  noticeReplaced(): boolean {
    if (!this.held?.isReplaced()) return false;
    this.#options.log.write("indexReplaced");
    return true;
  }

  /** Puts writing off for a moment when the error says that another process was in the way; false for other errors. */
  waitIfBusy(error: unknown): boolean {
    if (codeOf(error) !== "busy" && !isSqliteBusy(error)) return false;
    this.#busyUntil = this.#options.clock.steady() + BUSY_MS;
    return true;
  }

  /** Notes what is wrong with the database, which was let go of: it may pass, or the index is made again. */
  mend(error: unknown): void {
    if (this.#trouble.note(codeOf(error), error) !== "remake") return;
    const failure = this.#putAside("index");
    if (failure !== null) this.#trouble.note(failure.code, failure);
  }

  /** The full text alone is made anew: the rows are whole. What is in its place is noticed and opened at the next tick. */
  remakeFullText(): void {
    if (!this.#trouble.mayRemake("fullText")) return;
    const failure = this.#putAside("fullText");
    if (failure === null) return;
    const { code, message } = failure;
    this.#options.log.write("fullTextFailed", { code, message });
  }

  /**
   * Moves what is damaged out of the way, but not what another process has made anew meanwhile.
   *
   * @returns why it could not be moved; null also where another process is in the way, which passes
   */
  #putAside(what: Remade): SessionDbError | null {
    try {
      if (!putAside(PUT_ASIDE_FOR[what], this.#options.location, this.#files)) return null;
    } catch (error) {
      if (this.waitIfBusy(error)) return null;
      if (error instanceof SessionDbError && canBeMended(error)) return error;
      throw error;
    }
    this.#trouble.remade(what);
    this.#options.log.write(`${what}PutAside`);
    return null;
  }

  /** Leaves a file alone that has ended the daemon twice: it would do it again. */
  #leaveAlone({ ingest }: HeldIndex): void {
    if (this.#suspect === null) return;
    const { realPath, at, deaths } = this.#suspect;
    const path = ingest.tools.cursors.load(realPath)?.path ?? realPath;
    const isEnough = deaths >= DEATHS;
    if (isEnough) ingest.giveUp(path, realPath, `the daemon died ${deaths} times while reading it`);
    this.#suspect = null;
    this.#options.log.write("diedReading", { path: realPath, at, deaths, leftAlone: isEnough });
  }
}

/** @throws SessionDbError `io` where the parent of the index's folder has been moved away, as to another disk */
function assertPlace({ indexPath }: IndexLocation): void {
  const place = placeOf(indexPath);
  if (isMissing(place)) throw new SessionDbError("io", `there is no folder ${place}`);
}

/** Whether waiting, or making the index again, may help; anything else is a bug or for people to mend. */
export function canBeMended(error: unknown): boolean {
  return error instanceof SessionDbError ? Trouble.passes(error.code) : codeOf(error) !== "";
}

/**
 * The parent of the index's folder, usually pi's agent directory. If it is missing, people may have moved it with
 * everything in it and be about to put a link in its place: a new folder there would be in their way.
 */
export function placeOf(indexPath: string): string {
  return dirname(dirname(indexPath));
}

/** Whether nothing is there. What cannot be looked at counts as being there. */
export function isMissing(path: string): boolean {
  return unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }) === undefined) ?? false;
}
