import { messageOf } from "./entry.ts";
import { type JsonObject, stringOrNull } from "./json.ts";

/** The format version a header states; 1 when it states none. */
export function versionOf(header: JsonObject): number {
  const { version } = header;
  return typeof version === "number" && Number.isSafeInteger(Math.trunc(version)) ? Math.trunc(version) : 1;
}

/** Whether entries have no parents but the ones before them. */
export function isChained(version: number): boolean {
  return version < 2;
}

/** Where a version 1 entry stands, which has neither id nor parent. */
export interface EntryPosition {
  /** What it is called: see `nameByLine`. */
  name: string;
  /** Id of the entry before it in the file, null for the first. */
  previousId: string | null;
}

/** For those who want neither id nor parent of an entry: nothing else depends on where it stands. */
export const NOWHERE: EntryPosition = { name: "", previousId: null };

/**
 * Reads an entry of version 1 or 2 as one of version 3; others pass through untouched.
 *
 * Version 1 files are linear and have no ids: an entry is named after its line, which is the same in every copy of the
 * file, so that copies are recognised as such. pi's own migration draws random ids instead. An id that is there all the
 * same (the header has lost its version) is kept: it tells the entry from others.
 */
export function upgradeEntry(entry: JsonObject, version: number, position: EntryPosition): JsonObject {
  if (version >= 3) return entry;
  const renamed = renameHookMessage(entry);
  if (!isChained(version)) return renamed;
  const id = stringOrNull(entry.id) ?? position.name;
  return { ...renamed, id, parentId: position.previousId };
}

/**
 * What an entry without an id is called: by its line, and in an array by its place, as if it had a line to itself. An
 * array may stand on one line as a whole.
 */
export function nameByLine(number: number): string {
  return `v1-${number}`;
}

function renameHookMessage(entry: JsonObject): JsonObject {
  const message = messageOf(entry);
  if (message?.role !== "hookMessage") return entry;
  return { ...entry, message: { ...message, role: "custom" } };
}
