import { messageIn } from "./entry.ts";
import { type JsonObject, stringOrNull } from "./json.ts";
import { type ParsedLine, parseLine } from "./parse.ts";

/** The format version a header states; 1 when it states none. */
export function versionOf(header: JsonObject): number {
  const { version } = header;
  return typeof version === "number" && Number.isSafeInteger(Math.trunc(version)) ? Math.trunc(version) : 1;
}

/** Whether each entry's parent is simply the entry before it, in a file of a version. */
export function isChained(version: number): boolean {
  return version < 2;
}

/** The place of a version 1 entry: it has neither id nor parent of its own. */
export interface EntryPosition {
  /** Its id: see `nameByLine`. */
  name: string;
  /** Id of the entry before it in the file, null for the first. */
  previousId: string | null;
}

/**
 * Reads an entry of version 1 or 2 as one of version 3; others pass through untouched.
 *
 * Version 1 files are linear and have no ids: an entry is named by its line number, which is the same in every copy of
 * the file, so that copies are recognised as such. pi's own migration draws random ids instead. An id that is there all
 * the same, because the header has lost its version, is kept: it identifies the entry.
 */
export function upgradeEntry(entry: JsonObject, version: number, position: EntryPosition): JsonObject {
  if (version >= 3) return entry;
  const renamed = renameHookMessage(entry);
  if (!isChained(version)) return renamed;
  const id = stringOrNull(entry.id) ?? position.name;
  return { ...renamed, id, parentId: position.previousId };
}

/** What proves that a line holds the entry that the index has of it. */
export interface ExpectedEntry {
  /** Empty where the entry has none. */
  type: string;
  entryId: string | null;
  /** Format version of the session. */
  version: number;
}

/** The entry in the bytes of a line, read as one of version 3 but without its parent; null where it is another, or none. */
export function expectedEntry(
  line: Buffer,
  { type, entryId, version }: ExpectedEntry,
  parse: (line: Buffer) => ParsedLine = parseLine,
): JsonObject | null {
  const parsed = parse(line);
  if (parsed.kind !== "entry" || (stringOrNull(parsed.entry.type) ?? "") !== type) return null;
  const entry = upgradeEntry(parsed.entry, version, { name: entryId ?? "", previousId: null });
  return stringOrNull(entry.id) === entryId ? entry : null;
}

/**
 * The id of an entry that has none: by its line number or, in a file that is one array, by its place in it, as if it
 * had a line to itself. The whole array may stand on one line.
 */
export function nameByLine(number: number): string {
  return `v1-${number}`;
}

function renameHookMessage(entry: JsonObject): JsonObject {
  const message = messageIn(entry);
  if (message?.role !== "hookMessage") return entry;
  return { ...entry, message: { ...message, role: "custom" } };
}
