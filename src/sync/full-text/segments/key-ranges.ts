import { STEP_BYTES } from "../../../file/lines.ts";
import type { Database, Statement } from "../../../store/native.ts";
import type { KeyRange } from "./entries-reader.ts";

/** Bytes of lines that about fill a run. */
const USUAL_BYTES = 10 * 1024 * 1024;
/** At the end a range has no fewer bytes of lines than this. */
const FEWEST_BYTES = 2 * 1024 * 1024;
/** What is left at the end is cut into so many parts at least, so that all threads end at about the same time. */
const PARTS = 6;

/** By how many entries a range grows at once. */
const SOME = 250;

/** Longer lines are not read for a run. */
const NEXT = `SELECT max(key), total(iif(length > ${STEP_BYTES}, 0, length)) FROM (
  SELECT key, length FROM entries WHERE key > ? ORDER BY key LIMIT ${SOME})`;

const LAST_KEY = "SELECT max(key) FROM entries";

/** Cuts the entries that there are into ranges of keys, one after the other. */
export class KeyRanges {
  readonly #next: Statement;
  readonly #lastKey: Statement;
  /** The next range, as far as there are entries for it. */
  #range: KeyRange;
  #bytes = 0;
  /** As in the last range. The number before the first one is more than most have. */
  #bytesPerKey = 4096;

  constructor(rows: Database, after: number) {
    this.#next = rows.prepare(NEXT).raw();
    this.#lastKey = rows.prepare(LAST_KEY).pluck();
    this.#range = { after, upTo: after };
  }

  /**
   * The next range; null where there are not enough entries yet.
   *
   * @param isLast no more entries will come: those that there are make the last ranges
   */
  next(isLast: boolean): KeyRange | null {
    const wanted = isLast ? this.#share() : USUAL_BYTES;
    while (this.#bytes < wanted && this.#grow());
    const range = this.#range;
    const isEnough = this.#bytes >= wanted || (isLast && range.upTo > range.after);
    if (!isEnough) return null;
    this.#bytesPerKey = this.#bytes / (range.upTo - range.after);
    this.#range = { after: range.upTo, upTo: range.upTo };
    this.#bytes = 0;
    return range;
  }

  /** Takes some entries more into the range; false when there are none. */
  #grow(): boolean {
    const [last, bytes] = this.#next.get(this.#range.upTo) as [number | null, number];
    if (last === null) return false;
    this.#range = { ...this.#range, upTo: last };
    this.#bytes += bytes;
    return true;
  }

  /** What is left is estimated by its keys. */
  #share(): number {
    const left = (Number(this.#lastKey.get() ?? 0) - this.#range.after) * this.#bytesPerKey;
    return Math.min(USUAL_BYTES, Math.max(FEWEST_BYTES, left / PARTS));
  }
}
