import type { FileStat } from "../file/stat.ts";
import type { Cursor } from "../store/tables/cursors.ts";

/** A file that has become shorter is left alone until nobody has written to it for this long. */
const SETTLE_MS = 250;
/** But it is left alone no longer than this. */
const AT_MOST_MS = 5000;

/**
 * Knows which files are just being rewritten. A rewrite in place empties the file first: who reads it meanwhile would
 * take the part that is there already for the whole file.
 */
export class Shrinking {
  /** By real path: since when a file is shorter than what the index has of it, in Unix ms. */
  readonly #since = new Map<string, number>();

  /**
   * Whether a file should be left as it is for a moment. Never for longer than five seconds, and not where its times or
   * the clock were set to some other day. `now`: Unix ms.
   */
  isGoingOn({ realPath, fingerprint }: Cursor, stat: FileStat, now: number): boolean {
    const since = this.#since.get(realPath) ?? now;
    const written = Math.max(stat.mtimeMs, stat.ctimeMs);
    const isLeft =
      stat.size < fingerprint.length &&
      Math.abs(now - written) < SETTLE_MS &&
      Math.abs(now - since) < AT_MOST_MS;
    if (isLeft) this.#since.set(realPath, since);
    else this.#since.delete(realPath);
    return isLeft;
  }
}
