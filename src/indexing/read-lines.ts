import { readArrayStep } from "../files/array-file.ts";
import { endsMatch, extendFingerprint, type Fingerprint, sameFingerprint } from "../files/fingerprint.ts";
import { findNewline, type LineReader, LOOK_BYTES, longLineStep, type Step } from "../files/lines.ts";
import type { Opened } from "../files/packed-file.ts";
import { isArrayFileName } from "../files/session-path.ts";
import { type FileStat, sameStat } from "../files/stat.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import { onlyGrew } from "./change-detection.ts";
import type { LineExtractor } from "./extract-lines.ts";

/** With what a file is read. */
export interface ReadingTools {
  reader: LineReader;
  longLines: LongLines;
}

/** A file that is open, and how far it was read. */
export interface OpenFile {
  fd: Opened;
  stat: FileStat;
  cursor: Cursor;
}

/** Takes in what comes after the Cursor, at most about one step's bytes. Returns whether that was all of the file. */
export function readFromCursor(tools: ReadingTools, file: OpenFile, extractor: LineExtractor): boolean {
  const { fd, stat, cursor } = file;
  const from = cursor.offset;
  const known = tools.longLines.known(fd, cursor, stat);
  const step = readStep(tools, file, known);
  extractor.step(step);
  const end = cursor.offset + cursor.provisionalLength;
  const added = step.bytes?.subarray(0, end - from) ?? null;
  if (end > known.length) cursor.fingerprint = extendFingerprint(fd, known, end, added);
  return step.atEnd;
}

function readStep(tools: ReadingTools, { fd, stat, cursor }: OpenFile, known: Fingerprint): Step {
  if (isArrayFileName(cursor.realPath)) return readArrayStep(fd, stat.size);
  const isWithinLine = known.length > cursor.offset;
  const step = isWithinLine ? null : tools.reader.readDecodableStep(fd, cursor.offset, stat.size);
  return step ?? tools.longLines.step(fd, cursor, { stat, known });
}

/** A line whose end has not been found yet. */
interface Begun {
  /** The file's stat at the last step. */
  stat: FileStat;
  /** Covers what comes before the line. */
  before: Fingerprint;
  /** Covers that, and as much of the line as was looked through. */
  known: Fingerprint;
}

/**
 * Looks for the ends of lines too long to be decoded, in steps, because a file may hold gigabytes without any. A file that
 * was looked through to its end and has grown since is looked through from there on.
 */
export class LongLines {
  /** By file. */
  readonly #begun = new Map<number, Begun>();

  /** How far a file was looked through: bytes from its beginning, as far as is known without a look at it. */
  placeOf({ fileId, fingerprint }: Cursor): number {
    return this.#begun.get(fileId)?.known.length ?? fingerprint.length;
  }

  /** Covers what need not be read again. It reaches beyond the Cursor where a part of the line there was looked through. */
  known(fd: Opened, cursor: Cursor, stat: FileStat): Fingerprint {
    const begun = this.#begun.get(cursor.fileId);
    if (begun === undefined) return cursor.fingerprint;
    if (stillHolds(fd, begun, { cursor, stat })) return begun.known;
    this.#begun.delete(cursor.fileId);
    return cursor.fingerprint;
  }

  /** One step through the line at the Cursor, after what is known of it. It holds no line while the end was not found. */
  step(fd: Opened, cursor: Cursor, { stat, known }: { stat: FileStat; known: Fingerprint }): Step {
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

/** Whether what was looked through is still in the file, by the same proof as for a prefix. */
function stillHolds(fd: Opened, begun: Begun, { cursor, stat }: { cursor: Cursor; stat: FileStat }): boolean {
  if (!sameFingerprint(begun.before, cursor.fingerprint)) return false;
  if (!sameStat(begun.stat, stat) && !onlyGrew(begun.stat, stat)) return false;
  return endsMatch(fd, begun.known);
}
