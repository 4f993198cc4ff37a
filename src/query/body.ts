import { readRange } from "../file/range.ts";
import { type JsonObject, stringOrNull } from "../format/json.ts";
import { parseLine } from "../format/parse.ts";
import { upgradeEntry } from "../format/upgrade.ts";

/** Where an entry's line stands, and what proves that it still does. */
export interface BodyPlace {
  realPath: string;
  offset: number;
  /** Bytes. */
  length: number;
  line: number;
  entryId: string | null;
  type: string;
  /** Format version of the session. */
  version: number;
}

/**
 * Reads an entry back from its session file. Null when the file is gone, unreadable, or has something else in
 * that place by now: the index is behind then.
 */
export function readEntry(place: BodyPlace): JsonObject | null {
  const bytes = readRange(place.realPath, place.offset, place.length);
  const parsed = bytes === null ? null : parseLine(bytes);
  if (parsed?.kind !== "entry" || (stringOrNull(parsed.entry.type) ?? "") !== place.type) return null;
  const entry = upgradeEntry(parsed.entry, place.version, { line: place.line, previousId: null });
  return stringOrNull(entry.id) === place.entryId ? entry : null;
}
