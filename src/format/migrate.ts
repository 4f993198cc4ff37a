/** pi's migrations to version 3, in place. */
import { drawEntryId } from "./ids.ts";
import { isJsonObject } from "./json.ts";
import { type CompactionEntry, CURRENT_SESSION_VERSION, type FileEntry, type SessionEntry } from "./types.ts";

/** Returns an id for an entry of version 1: one that `taken` does not hold. */
export type NameEntry = (entry: SessionEntry, taken: ReadonlySet<string>) => string;

/** An id that stands in a file of version 1 does not count. */
const drawName: NameEntry = (_entry, taken) => drawEntryId(taken);

/** Brings the entries of a session file, header included, to version 3; they are changed in place. */
export function migrateSessionEntries(entries: FileEntry[]): void {
  migrateToCurrent(entries);
}

/**
 * Migrates as `migrateSessionEntries` does; true when there was something to migrate. Without a header the entries are
 * taken for version 1. Unless `nameOf` gives ids to version 1 entries, they are drawn at random, so two migrations of
 * one file differ in them.
 */
export function migrateToCurrent(entries: FileEntry[], nameOf: NameEntry = drawName): boolean {
  const version = entries.find((entry) => entry.type === "session")?.version ?? 1;
  if (version >= CURRENT_SESSION_VERSION) return false;
  if (version < 2) chainEntries(entries, nameOf);
  if (version < 3) renameHookMessages(entries);
  return true;
}

/**
 * Version 1 is linear: an entry's parent is the one before it. A line that is JSON but no object is no entry: it cannot
 * have an id, nor keep one in the file.
 */
function chainEntries(entries: FileEntry[], nameOf: NameEntry): void {
  const taken = new Set<string>();
  let parentId: string | null = null;
  for (const entry of entries) {
    if (entry.type === "session" || !isJsonObject(entry)) continue;
    entry.id = nameOf(entry, taken);
    entry.parentId = parentId;
    parentId = entry.id;
    taken.add(entry.id);
    if (entry.type === "compaction") nameFirstKept(entry, entries);
  }
}

/** Version 1 gives the first kept entry as an index into the file's entries, with the header at 0. */
function nameFirstKept(compaction: CompactionEntry, entries: readonly FileEntry[]): void {
  if (!("firstKeptEntryIndex" in compaction)) return;
  const { firstKeptEntryIndex: index } = compaction;
  if (typeof index !== "number") return;
  const kept = entries[index];
  if (kept && kept.type !== "session") compaction.firstKeptEntryId = kept.id;
  delete compaction.firstKeptEntryIndex;
}

function renameHookMessages(entries: readonly FileEntry[]): void {
  for (const entry of entries) {
    if (entry.type === "session") entry.version = 3;
    if (entry.type !== "message") continue;
    const message: unknown = entry.message;
    if (isJsonObject(message) && message.role === "hookMessage") message.role = "custom";
  }
}
