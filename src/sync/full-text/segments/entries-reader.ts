import { STEP_BYTES } from "../../../file/lines.ts";
import { searchableTexts } from "../../../format/searchable.ts";
import { placesIn } from "../../../format/tape/line-texts.ts";
import { Tape } from "../../../format/tape/tape.ts";
import { expectedEntry } from "../../../format/upgrade.ts";
import type { Database } from "../../../store/native.ts";
import { loadCursor } from "../../../store/tables/cursors.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { lengthOf, type ReadLine, readRun, runFrom } from "../entry-run.ts";
import { type EntrySums, sumsOf, together } from "../entry-sums.ts";
import { type BlockTimes, NotedTimes } from "../key-blocks.ts";
import { type KeyRun, KeyRuns } from "../key-runs.ts";
import { BATCH_ENTRIES, WantedEntries, type WantedEntry } from "../wanted-entries.ts";
import type { Alphabet } from "./letters.ts";
import { RunBuilder, type RunFacts } from "./run-builder.ts";

/**
 * A run ends when it may take so many bytes at most; usually it takes half of that. Runs of twice and three times as much
 * save no time, and take 15 MB more memory.
 */
const ENOUGH = 4 * 1024 * 1024;

/** Memory for a run; its last entry may be a large one. Bytes. */
export const ROOM_BYTES = ENOUGH + 1024 * 1024;

/** Entries by their keys. */
export interface KeyRange {
  /** All keys are larger. */
  after: number;
  /** The last of them. */
  upTo: number;
}

/** What was built of entries in a row. */
export interface BuiltRun extends RunFacts {
  /** The run holds all entries in this range, but for those that were missed. */
  range: KeyRange;
  entries: EntrySums;
  /** The run stands at its beginning. */
  memory: SharedArrayBuffer;
  times: BlockTimes[];
  missed: KeyRun[];
}

/**
 * Reads the texts of entries from their session files, proved by the Cursors as whoever adds them would, and builds runs
 * of them. What cannot be read is noted as missed, and so is a line longer than a step of reading: those are left to the
 * thread that adds runs, so that never two threads hold a long line each.
 */
export class EntriesReader {
  readonly #rows: Database;
  readonly #wanted: WantedEntries;
  readonly #builder: RunBuilder;
  readonly #stop: StopSignal;
  readonly #times = new NotedTimes();
  readonly #missed = new KeyRuns();
  readonly #tape = new Tape();
  /** The last key of the run before. */
  #reached = 0;

  constructor(rows: Database, alphabet: Alphabet, stop: StopSignal) {
    this.#rows = rows;
    this.#wanted = new WantedEntries(rows);
    this.#builder = new RunBuilder(alphabet);
    this.#stop = stop;
  }

  /**
   * A run of the first entries of a range, which ends before the range does when it has become long enough. Null when it
   * was told to stop. Names that were given with entries before the range are mostly not given again.
   *
   * @param room of `ROOM_BYTES`, for the run
   */
  read({ after, upTo }: KeyRange, room: SharedArrayBuffer): BuiltRun | null {
    // Names that came with entries after it would not be there yet when the run is added.
    if (after < this.#reached) this.#builder.forgetNames();
    const sums: EntrySums[] = [];
    let reached = after;
    while (reached < upTo && !this.#isEnough) {
      const wanted = this.#wanted.between(reached + 1, upTo);
      const done = this.#addSome(wanted);
      if (this.#stop.aborted) return null;
      sums.push(sumsOf(wanted.slice(0, done)));
      const isAll = done === wanted.length && done < BATCH_ENTRIES;
      const last = isAll ? upTo : (wanted[done - 1]?.key ?? reached);
      if (last === reached) break;
      reached = last;
    }
    this.#reached = reached;
    return this.#finish({ after, upTo: reached }, together(sums), room);
  }

  get #isEnough(): boolean {
    return this.#builder.size >= ENOUGH;
  }

  /** Returns how many entries were dealt with. */
  #addSome(wanted: WantedEntry[]): number {
    let done = 0;
    while (done < wanted.length && !this.#isEnough && !this.#stop.aborted) {
      const run = runFrom(wanted, done);
      const added = this.#addRun(run);
      done += added;
      if (added < run.length) break;
    }
    return done;
  }

  /** Adds entries that stand in one file, until the run that is built is long enough. */
  #addRun(run: WantedEntry[]): number {
    const read = this.#readShort(run);
    for (const [at, wanted] of run.entries()) {
      if (this.#isEnough || !this.#add(wanted, read)) return at;
      this.#times.note(wanted.key, wanted.timestamp);
    }
    return run.length;
  }

  /** False when the entry has no room beside the others. One that has no room even in an empty run is missed. */
  #add(wanted: WantedEntry, read: ReadLine | null): boolean {
    const line = read?.(wanted) ?? null;
    const isAdded = line === null || this.#addLine(wanted, line);
    if (!isAdded && !this.#builder.isEmpty) return false;
    if (!isAdded || read === null) this.#missed.add(wanted.key);
    return true;
  }

  #addLine(wanted: WantedEntry, line: Buffer): boolean {
    const places = placesIn(line, wanted, this.#tape);
    if (places !== null) {
      return places.length === 0 || this.#builder.addLine(wanted.key, { line, tape: this.#tape, places });
    }
    const entry = expectedEntry(line, wanted);
    const texts = entry ? searchableTexts(entry) : [];
    return texts.length === 0 || this.#builder.add(wanted.key, texts);
  }

  #readShort(run: WantedEntry[]): ReadLine | null {
    if (lengthOf(run) > STEP_BYTES) return null;
    return readRun(run, loadCursor(this.#rows, run[0]?.realPath ?? ""), this.#builder.lines);
  }

  #finish(range: KeyRange, entries: EntrySums, room: SharedArrayBuffer): BuiltRun {
    const { size } = this.#builder;
    const memory = size > room.byteLength ? new SharedArrayBuffer(size) : room;
    const facts = this.#builder.finish(new Uint8Array(memory));
    return { ...facts, range, entries, memory, times: this.#times.take(), missed: this.#missed.take() };
  }
}
