import { readArrayStep } from "../file/array.ts";
import type { Granularities } from "../file/file-system.ts";
import { extendFingerprint, type Fingerprint, sameFingerprint } from "../file/fingerprint.ts";
import type { LineReader, Step } from "../file/lines.ts";
import { isArrayFileName } from "../file/names.ts";
import { type FileStat, sameStat } from "../file/stat.ts";
import { isSettled } from "./change.ts";
import type { Cursor } from "./cursor.ts";
import type { Intake } from "./intake.ts";
import type { LongLines } from "./long-lines.ts";
import type { AheadStep, StepsAhead } from "./read-ahead/read-ahead-step.ts";

/** With what a file is read. */
export interface ReadingTools {
  reader: LineReader;
  longLines: LongLines;
  granularities: Granularities;
}

/** A file that is open, and how far it was read. */
export interface OpenFile {
  fd: number;
  stat: FileStat;
  cursor: Cursor;
  /** What another thread may have read of it already. */
  ahead: StepsAhead | null;
}

/** Takes in what comes after the Cursor, at most about one step's bytes. Returns whether that was all of the file. */
export function readOn(tools: ReadingTools, file: OpenFile, intake: Intake): boolean {
  return takeAhead(tools, file, intake) ?? read(tools, file, intake);
}

/** Null when nothing was read ahead, or nothing proves that it is still what the file holds. */
function takeAhead({ granularities }: ReadingTools, file: OpenFile, intake: Intake): boolean | null {
  const { realPath, offset } = file.cursor;
  const step = file.ahead?.take(realPath, offset) ?? null;
  if (step === null || !isWhatIsHere(step, file, granularities)) return null;
  intake.ahead(step);
  return step.atEnd;
}

/**
 * Whether a step read ahead is still what the file holds: the file's stat is the one taken before the other thread read
 * it, that stat was settled, and what stands before the step has the Cursor's fingerprint. Every look at a file relies on
 * this proof.
 */
function isWhatIsHere(
  { stat, readAt, before }: AheadStep,
  { stat: present, cursor }: OpenFile,
  granularities: Granularities,
): boolean {
  if (cursor.provisionalLength > 0 || !sameStat(stat, present)) return false;
  if (!isSettled(stat, readAt, granularities.of(cursor.realPath, stat.device))) return false;
  return sameFingerprint(before, cursor.fingerprint);
}

function read(tools: ReadingTools, file: OpenFile, intake: Intake): boolean {
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
