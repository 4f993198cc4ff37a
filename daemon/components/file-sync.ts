import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { unlessUnreadable } from "../../src/errors.ts";
import { packedFileOf } from "../../src/files/archive-place.ts";
import type { IsExcluded } from "../../src/files/session-path.ts";
import { toFileStat } from "../../src/files/stat.ts";
import { type FileIndexer, type FileOutcome, indexFileStep } from "../../src/indexing/index-file.ts";
import type { Clock } from "./scheduler.ts";

/** What came of indexing one path. Times are steady ms. */
export type PathOutcome =
  | { kind: "done"; changed: boolean }
  /** One step was done and there is more. */
  | { kind: "more" }
  | { kind: "later"; at: number }
  /** It is gone, or may be one that moved: only a look at everything can tell. */
  | { kind: "sweep"; urgent: boolean };

/** Between two looks at a file that is just being rewritten. */
const REWRITTEN_MS = 250;
/** Between two looks at a file that cannot be taken in: twice as long each time. */
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5 * 60_000;

interface Backoff {
  until: number;
  delay: number;
}

/** Indexes files that are said to have changed, one step of at most about 4 MB at a time. */
export class FileSync {
  readonly #indexer: FileIndexer;
  readonly #clock: Clock;
  readonly #isExcluded: IsExcluded;
  readonly #roots: readonly string[];
  /** By real path: files that could not be taken in. */
  readonly #backoff = new Map<string, Backoff>();
  /** Something has vanished since the last sweep: a file that is new may be the same, moved. */
  #vanished = false;
  #hasMetLinks = false;

  /** @param roots those beside which sessions are archived */
  constructor(indexer: FileIndexer, clock: Clock, isExcluded: IsExcluded, roots: readonly string[] = []) {
    this.#roots = roots;
    this.#indexer = indexer;
    this.#clock = clock;
    this.#isExcluded = isExcluded;
  }

  /** A file was met that has another name: writes by that name are not told of. */
  get hasMetLinks(): boolean {
    return this.#hasMetLinks;
  }

  /** Everything is about to be looked at, links too. */
  sweepBegins(): void {
    this.#hasMetLinks = false;
  }

  /** Everything has been looked at. */
  sweepEnds(): void {
    this.#vanished = false;
  }

  /** @throws SQLite's errors */
  sync(path: string): PathOutcome {
    const found = statsOf(path) ?? statsOf(packedFileOf(path, this.#roots) ?? path);
    if (found === null) return this.#gone();
    if (!found.stats.isFile()) return { kind: "done", changed: false };
    const { realPath, stats, isLink } = found;
    this.#hasMetLinks ||= isLink || stats.nlink > 1;
    // Its rows are removed by the next sweep.
    if (this.#isExcluded(path) || this.#isExcluded(realPath)) return { kind: "done", changed: false };
    const cursor = this.#indexer.tools.cursors.load(realPath);
    if (cursor === null && (this.#vanished || stats.nlink > 1)) return { kind: "sweep", urgent: true };
    const wait = this.#waitFor(realPath);
    if (wait !== null) return wait;
    const seen = { path: cursor?.path ?? path, realPath, stat: toFileStat(stats), cursor };
    return this.#conclude(realPath, indexFileStep(this.#indexer, seen));
  }

  #gone(): PathOutcome {
    this.#vanished = true;
    return { kind: "sweep", urgent: false };
  }

  #waitFor(realPath: string): PathOutcome | null {
    const now = this.#clock.steady();
    const until = this.#backoff.get(realPath)?.until ?? 0;
    return until > now ? { kind: "later", at: until } : null;
  }

  #conclude(realPath: string, result: FileOutcome): PathOutcome {
    switch (result.outcome) {
      case "unreadable":
      case "failed":
        // It is tried again by a sweep or when it changes, but not at every change.
        this.#backOff(realPath);
        return { kind: "done", changed: false };
      case "in_flux":
        if (result.code === "SHORTER") return { kind: "later", at: this.#clock.steady() + REWRITTEN_MS };
        return { kind: "later", at: this.#backOff(realPath) };
      case "gone":
        return this.#gone();
      case "unchanged":
      case "indexed":
      case "no_session":
        this.#backoff.delete(realPath);
        if (result.more) return { kind: "more" };
        return { kind: "done", changed: result.outcome !== "unchanged" };
      default:
        return result satisfies never;
    }
  }

  #backOff(realPath: string): number {
    const delay = Math.min(LAST_RETRY_MS, (this.#backoff.get(realPath)?.delay ?? FIRST_RETRY_MS / 2) * 2);
    const until = this.#clock.steady() + delay;
    this.#backoff.set(realPath, { until, delay });
    return until;
  }
}

/** Null when nothing is there, or nothing that can be looked at: a sweep notes which. */
function statsOf(path: string): { realPath: string; stats: Stats; isLink: boolean } | null {
  const looked = unlessUnreadable(() => {
    // Not `realpathSync.native`, which spells names as the disk does where that ignores case. A sweep spells them as the
    // root was named, and so one file would have two real paths.
    const realPath = realpathSync(path);
    const stats = lstatSync(path);
    return stats.isSymbolicLink()
      ? { realPath, stats: statSync(realPath), isLink: true }
      : { realPath, stats, isLink: false };
  });
  return looked ?? null;
}
