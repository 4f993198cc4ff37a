import { codeOf, isSystemError, SessionDbError } from "../../errors.ts";
import { isTooLong } from "../../files/lines.ts";
import { closeFile, openRegularFile } from "../../files/open-file.ts";
import { readRange, useRange } from "../../files/range.ts";
import type { JsonObject } from "../../format/json.ts";
import type { TextLimits } from "../../format/searchable.ts";
import { textsIn } from "../../format/tape/line-texts.ts";
import { Tape } from "../../format/tape/tape.ts";
import { type ExpectedEntry, expectedEntry } from "../../format/upgrade.ts";

/** Where an entry's line stands, and what proves that it still does. */
export interface BodyPlace extends ExpectedEntry {
  realPath: string;
  offset: number;
  /** Bytes. */
  length: number;
  line: number;
}

/** The columns of a `BodyPlace`, for a query over `entries e`, `sessions s` and `files f`. */
export const PLACE_COLUMNS =
  "f.real_path AS realPath, e.offset, e.length, e.line, e.entry_id AS entryId, e.type, s.version";

const TAPE = new Tape();

/** An entry read back from its session file. */
export interface Body {
  /** Its line, without the end. */
  bytes: Buffer;
  /** As format version 3 has it; in an old file without its parent. */
  entry: JsonObject;
}

/**
 * Reads an entry back from its session file. Null when its line is too long, and when the file is gone, unreadable, or
 * has something else in that place by now: the index is behind then.
 */
export function readBody(place: BodyPlace): Body | null {
  if (isTooLong(place)) return null;
  const bytes = readRange(place.realPath, place.offset, place.length);
  return bytes === null ? null : bodyOf(bytes, place);
}

/**
 * To be called before all of a session is shown: without its file there would be nothing but empty entries.
 *
 * @throws SessionDbError `io` when the session file cannot be opened
 */
export function assertFileReadable({ realPath }: Pick<BodyPlace, "realPath">): void {
  try {
    const fd = openRegularFile(realPath);
    if (fd !== null) closeFile(fd);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const code = codeOf(error);
    throw new SessionDbError("io", `the session file cannot be read (${code}): ${realPath}`, {
      cause: error,
      ...(code in HINTS && { hint: HINTS[code] }),
    });
  }
}

const READ_PERMISSION = "Give yourself read permission for it and the folders it is in (chmod u+r).";

const HINTS: Record<string, string> = {
  EACCES: READ_PERMISSION,
  EPERM: READ_PERMISSION,
  EBADMSG: "The packed file is damaged: bring it back from a backup.",
  ENOTSUP: "It is packed with zstd, which this Node does not have: use Node 22.15 or later.",
};

/** The entry in the bytes of a line; null when it is too long, and when they are not what is expected in that place. */
export function bodyOf(bytes: Buffer, place: BodyPlace): Body | null {
  if (isTooLong(place)) return null;
  const entry = expectedEntry(bytes, place);
  return entry && { bytes, entry };
}

/** What of a line that has been read is searched; null as for `bodyOf`. */
export function textsOfBody(bytes: Buffer, place: BodyPlace, limits: TextLimits): string[] | null {
  if (isTooLong(place)) return null;
  const texts = textsIn(bytes, place, { tape: TAPE, limits });
  TAPE.release();
  return texts;
}

/** What of a line that has still to be read is searched; null as for `readBody`. */
export function readTextsOfBody(place: BodyPlace, limits: TextLimits): string[] | null {
  if (isTooLong(place)) return null;
  const { realPath: path, offset, length } = place;
  return useRange({ path, offset, length }, (bytes) => textsOfBody(bytes, place, limits));
}

/** The entry alone, as `readBody` gives it. */
export function readEntry(place: BodyPlace): JsonObject | null {
  if (isTooLong(place)) return null;
  const { realPath: path, offset, length } = place;
  return useRange({ path, offset, length }, (bytes) => bodyOf(bytes, place)?.entry ?? null);
}
