import { endsMatch } from "../../files/fingerprint.ts";
import { isTooLong, readFully, STEP_BYTES } from "../../files/lines.ts";
import { useRegularFile } from "../../files/open-file.ts";
import { sameStat, statOpenFile } from "../../files/stat.ts";
import type { Cursor } from "../../store/tables/cursors.ts";
import type { WantedEntry } from "./wanted-entries.ts";

/** The stretch of entries from `start` on that stand in one file and within one read. */
export function runFrom(wanted: WantedEntry[], start: number): WantedEntry[] {
  const first = wanted[start];
  if (first === undefined) return [];
  let end = start + 1;
  for (let next = wanted[end]; next?.fileId === first.fileId; next = wanted[++end]) {
    if (next.offset < first.offset || next.offset + next.length - first.offset > STEP_BYTES) break;
  }
  return wanted.slice(start, end);
}

/** Bytes from the beginning of the first entry to the end of the last. */
export function lengthOf(run: readonly WantedEntry[]): number {
  const [first, last] = [run[0], run.at(-1)];
  return first === undefined || last === undefined ? 0 : last.offset + last.length - first.offset;
}

const NO_ROOM = Buffer.alloc(0);

/** Gives the line of an entry of a run that was read; null for one that is too long to be decoded. */
export type ReadLine = (wanted: WantedEntry) => Buffer | null;

/**
 * Reads the bytes of a run back from their session file. Its entries are parsed one by one, when they are asked for:
 * parsed all at once they would outlive the first collections of garbage, which took a tenth of the time of reading.
 *
 * Returns null when the file is not the one the index has read, or nothing proves that it is: it is gone or unreadable,
 * or was changed since by more than appending. Then the rows have to follow the file before the text can.
 *
 * The bytes are read into `room` where it is large enough; then they are valid until it is used again.
 */
export function readRun(run: WantedEntry[], cursor: Cursor | null, room: Buffer = NO_ROOM): ReadLine | null {
  const [first] = run;
  if (first === undefined || cursor === null) return null;
  const length = lengthOf(run);
  if (isTooLong({ length })) return () => null;
  const bytes = room.length < length ? Buffer.allocUnsafe(length) : room.subarray(0, length);
  if (!isReadAndProved(cursor, first.offset, bytes)) return null;
  return (wanted) => {
    const start = wanted.offset - first.offset;
    return bytes.subarray(start, start + wanted.length);
  };
}

/** Fills `bytes`, if the file still is what the Cursor says. Asked after reading, so that no change slips in between. */
function isReadAndProved(cursor: Cursor, offset: number, bytes: Buffer): boolean {
  const read = (fd: number): boolean =>
    readFully(fd, bytes, 0, bytes.length, offset) === bytes.length && isStill(fd, cursor);
  return useRegularFile(cursor.realPath, read) ?? false;
}

function isStill(fd: number, cursor: Cursor): boolean {
  const stat = statOpenFile(fd);
  return sameStat(stat, cursor.stat) || (stat.size > cursor.stat.size && endsMatch(fd, cursor.fingerprint));
}
