import { statfsSync } from "node:fs";
import { unlessUnreadable } from "../errors.ts";
import { COARSE_GRANULARITY_MS, granularityOf } from "../files/file-system.ts";
import {
  continueCrc,
  endsMatch,
  extendFingerprint,
  type Fingerprint,
  wholeMatches,
} from "../files/fingerprint.ts";
import { LOOK_BYTES, readFully } from "../files/lines.ts";
import type { Opened } from "../files/packed-file.ts";
import { type FileStat, sameFile, sameStat } from "../files/stat.ts";
import { type Cursor, isUntouched } from "../store/tables/cursors.ts";

/**
 * What it takes to believe that a file still begins with what the index has read of it.
 * `nothing`: it was not touched. `ends`: compare both ends of the prefix. `whole`: compare every byte.
 * `impossible`: it is shorter than the prefix.
 */
export type Proof = "nothing" | "ends" | "whole" | "impossible";

/** Prefixes up to this many bytes are always compared whole: reading them costs less than thinking about it. */
export const SMALL_PREFIX = 256 * 1024;

/**
 * Decides what to compare, from the Cursor and a fresh stat alone. A file that only grew is proved by the
 * ends of its prefix; every other difference (another inode, same size with another time, an older time)
 * means somebody did something else than append. The stat of a file that failed describes bytes that were not taken in:
 * that the file has grown since then proves nothing about the bytes that were.
 */
export function proofNeeded(cursor: Cursor, stat: FileStat): Proof {
  if (isUntouched(cursor, stat)) return "nothing";
  const { length } = cursor.fingerprint;
  if (stat.size < length) return "impossible";
  const hasGrown = cursor.status !== "failed" && onlyGrew(cursor.stat, stat);
  return hasGrown && length > SMALL_PREFIX ? "ends" : "whole";
}

/** Whether two looks at a file differ as they do after an append. */
export function onlyGrew(before: FileStat, now: FileStat): boolean {
  return sameFile(before, now) && now.size > before.size && now.mtimeMs >= before.mtimeMs;
}

/** Whether an open file still begins with what the index has of it. Reads as much of it as `proofNeeded` asks for. */
export function prefixHolds(fd: Opened, cursor: Cursor, stat: FileStat): boolean {
  return holds(fd, cursor.fingerprint, proofNeeded(cursor, stat));
}

function holds(fd: Opened, fingerprint: Fingerprint, proof: Proof): boolean {
  switch (proof) {
    case "nothing":
      return true;
    case "impossible":
      return false;
    case "ends":
      return endsMatch(fd, fingerprint);
    case "whole":
      return wholeMatches(fd, fingerprint);
    default:
      return proof satisfies never;
  }
}

/** A comparison of every byte that has not come to its end. */
interface Begun {
  /** The file's stat when the comparison began: when the file is touched meanwhile, it begins again. */
  stat: FileStat;
  length: number;
  at: number;
  crc: number;
}

/** What `proofNeeded` said of a file, and the stat it said it of. */
interface Needed {
  stat: FileStat;
  proof: Proof;
}

/** `prefixHolds` in steps, because comparing every byte of a file of gigabytes takes seconds. */
export class PrefixProofs {
  readonly #stepBytes: number;
  /** By file. */
  readonly #begun = new Map<number, Begun>();

  constructor(stepBytes = LOOK_BYTES) {
    this.#stepBytes = stepBytes;
  }

  /** One step of the proof that is needed. `more`: nothing is known yet; to be asked again. */
  step(fd: Opened, cursor: Cursor, { stat, proof }: Needed): "holds" | "fails" | "more" {
    const { fileId, fingerprint } = cursor;
    const isLong = fingerprint.length > this.#stepBytes;
    if (!isLong || proof !== "whole") {
      this.#begun.delete(fileId);
      return holds(fd, fingerprint, proof) ? "holds" : "fails";
    }
    const begun = this.#resume(cursor, stat);
    const end = Math.min(fingerprint.length, begun.at + this.#stepBytes);
    begun.crc = continueCrc(fd, begun.at, end, begun.crc);
    begun.at = end;
    if (begun.crc !== -1 && end < fingerprint.length) return "more";
    this.#begun.delete(fileId);
    return begun.crc === fingerprint.whole && endsMatch(fd, fingerprint) ? "holds" : "fails";
  }

  /** How far the comparison of a file has come: bytes. */
  placeOf(fileId: number): number {
    return this.#begun.get(fileId)?.at ?? 0;
  }

  #resume({ fileId, fingerprint }: Cursor, stat: FileStat): Begun {
    const begun = this.#begun.get(fileId);
    if (begun?.length === fingerprint.length && sameStat(begun.stat, stat)) return begun;
    const fresh = { stat, length: fingerprint.length, at: 0, crc: 0 };
    this.#begun.set(fileId, fresh);
    return fresh;
  }
}

/**
 * A line that was taken in before its `\n` came must be followed by one now; then it is a line like any other,
 * and the Cursor moves past it. False when something else follows.
 */
export function finishProvisionalLine(fd: Opened, cursor: Cursor, stat: FileStat): boolean {
  const end = cursor.fingerprint.length;
  if (cursor.provisionalLength === 0 || stat.size === end) return true;
  const next = Buffer.alloc(2);
  const filled = readFully(fd, next, 0, Math.min(2, stat.size - end), end);
  const terminator = next
    .subarray(0, filled)
    .toString("latin1")
    .match(/^\r?\n/)?.[0];
  if (terminator === undefined) return false;
  cursor.offset = end + terminator.length;
  cursor.provisionalLength = 0;
  cursor.lines++;
  const added = next.subarray(0, terminator.length);
  cursor.fingerprint = extendFingerprint(fd, cursor.fingerprint, cursor.offset, added);
  return true;
}

/**
 * A time further ahead of our clock than this does not come from another machine's clock: our clock was set back since,
 * or the time was set by hand.
 */
const AHEAD_MS = 24 * 60 * 60_000;

/**
 * Whether an equal stat will prove at the next look that nothing changed, because whatever is written from now on will
 * bear other times. `granularityMs`: the steps in which the file system counts times.
 */
export function mtimeIsSafe(stat: FileStat, readAtMs: number, granularityMs: number): boolean {
  return [stat.mtimeMs, stat.ctimeMs].every(
    (time) => time < readAtMs - granularityMs || time > readAtMs + AHEAD_MS,
  );
}

/** How coarse the times of files are, asked once for each device. */
export class Granularities {
  readonly #known = new Map<number, number>();
  readonly #typeOf: (path: string) => number;

  constructor(typeOf: (path: string) => number = (path) => statfsSync(path).type) {
    this.#typeOf = typeOf;
  }

  /** How coarse times are, in ms, for a file on `device`. */
  of(path: string, device: number): number {
    const known = this.#known.get(device);
    if (known !== undefined) return known;
    const granularity = this.#ask(path);
    this.#known.set(device, granularity);
    return granularity;
  }

  /** A file system whose type cannot be read counts as coarse. */
  #ask(path: string): number {
    return unlessUnreadable(() => granularityOf(this.#typeOf(path))) ?? COARSE_GRANULARITY_MS;
  }
}

/** A file that has become shorter is left alone until nobody has written to it for this long. */
const QUIET_PERIOD_MS = 250;
/** But it is left alone no longer than this. */
const AT_MOST_MS = 5000;

/**
 * Knows which files are just being rewritten. A rewrite in place empties the file first: who reads it meanwhile would
 * take the part that is there already for the whole file.
 */
export class TruncationGuard {
  /** By real path: since when a file is shorter than what the index has of it, in Unix ms. */
  readonly #since = new Map<string, number>();

  /**
   * Whether a file should be left as it is for a moment. Never for longer than five seconds, and not where its times or
   * the clock were set to some other day. `now`: Unix ms.
   */
  isInQuietPeriod({ realPath, fingerprint }: Cursor, stat: FileStat, now: number): boolean {
    const since = this.#since.get(realPath) ?? now;
    const written = Math.max(stat.mtimeMs, stat.ctimeMs);
    const isLeft =
      stat.size < fingerprint.length &&
      Math.abs(now - written) < QUIET_PERIOD_MS &&
      Math.abs(now - since) < AT_MOST_MS;
    if (isLeft) this.#since.set(realPath, since);
    else this.#since.delete(realPath);
    return isLeft;
  }
}
