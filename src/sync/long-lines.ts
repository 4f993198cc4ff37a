import { endsMatch, extendFingerprint, type Fingerprint, sameFingerprint } from "../file/fingerprint.ts";
import { findNewline, LOOK_BYTES, longLineStep, type Step } from "../file/lines.ts";
import { type FileStat, sameStat } from "../file/stat.ts";
import { onlyGrew } from "./change.ts";
import type { Cursor } from "./cursor.ts";

/** A line whose end has not been found yet. */
interface Begun {
  /** Of the file at the last step. */
  stat: FileStat;
  /** Of what comes before the line. */
  before: Fingerprint;
  /** Of that and all of the line that was looked through. */
  known: Fingerprint;
}

/**
 * Looks for the ends of lines too long to be decoded, in steps, because a file may be gigabytes without any. Where it
 * was looked through to its end, it is looked on from there when it has grown.
 */
export class LongLines {
  /** By file. */
  readonly #begun = new Map<number, Begun>();

  /** How far a file was looked through: bytes from its beginning, as far as is known without a look at it. */
  placeOf({ fileId, fingerprint }: Cursor): number {
    return this.#begun.get(fileId)?.known.length ?? fingerprint.length;
  }

  /** Of what need not be read again: beyond the Cursor where a part of the line there was looked through. */
  known(fd: number, cursor: Cursor, stat: FileStat): Fingerprint {
    const begun = this.#begun.get(cursor.fileId);
    if (begun === undefined) return cursor.fingerprint;
    if (stillHolds(fd, begun, { cursor, stat })) return begun.known;
    this.#begun.delete(cursor.fileId);
    return cursor.fingerprint;
  }

  /** One step for the line at the Cursor, behind what is known of it. Without any line while its end was not found. */
  step(fd: number, cursor: Cursor, { stat, known }: { stat: FileStat; known: Fingerprint }): Step {
    const { fileId, offset, fingerprint } = cursor;
    const end = Math.min(stat.size, known.length + LOOK_BYTES);
    const newline = findNewline(fd, known.length, end);
    if (newline < 0) {
      this.#begun.set(fileId, {
        stat,
        before: fingerprint,
        known: extendFingerprint(fd, known, end, null),
      });
      return { lines: [], end: offset, bytes: null, atEnd: end === stat.size };
    }
    this.#begun.delete(fileId);
    return longLineStep(fd, { from: offset, newline, size: stat.size });
  }
}

/** The proof that is enough for a file's prefix, too. */
function stillHolds(fd: number, begun: Begun, { cursor, stat }: { cursor: Cursor; stat: FileStat }): boolean {
  if (!sameFingerprint(begun.before, cursor.fingerprint)) return false;
  if (!sameStat(begun.stat, stat) && !onlyGrew(begun.stat, stat)) return false;
  return endsMatch(fd, begun.known);
}
