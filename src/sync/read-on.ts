import { readArrayStep } from "../file/array.ts";
import { extendFingerprint, type Fingerprint } from "../file/fingerprint.ts";
import type { LineReader, Step } from "../file/lines.ts";
import { isArrayFileName } from "../file/names.ts";
import type { FileStat } from "../file/stat.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import type { Intake } from "./intake.ts";
import type { LongLines } from "./long-lines.ts";

/** With what a file is read. */
export interface ReadingTools {
  reader: LineReader;
  longLines: LongLines;
}

/** A file that is open, and how far it was read. */
export interface OpenFile {
  fd: number;
  stat: FileStat;
  cursor: Cursor;
}

/** Takes in what comes after the Cursor, at most about one step's bytes. Returns whether that was all of the file. */
export function readOn(tools: ReadingTools, file: OpenFile, intake: Intake): boolean {
  const { fd, stat, cursor } = file;
  const from = cursor.offset;
  const known = tools.longLines.known(fd, cursor, stat);
  const step = readStep(tools, file, known);
  intake.step(step);
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
