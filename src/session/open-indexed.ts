import { realpathSync } from "node:fs";
import { continueCrc } from "../files/fingerprint.ts";
import { CachedHandle, closeWith, sessionFileReplaced } from "../files/handle-cache.ts";
import { openForReading } from "../files/open-file.ts";
import { type FileStat, statOpenFile } from "../files/stat.ts";
import type { FileEntry } from "../format/types.ts";
import { prefixHolds } from "../indexing/change-detection.ts";
import type { Database } from "../store/native.ts";
import type { Index } from "../store/open.ts";
import { inOneState, prepared } from "../store/statements.ts";
import { type Cursor, loadCursor } from "../store/tables/cursors.ts";
import { headerOfOpenFile } from "./header.ts";
import { IndexedPrefix, isIndexFault, type PrefixFacts } from "./indexed-prefix.ts";
import { IndexedTree } from "./indexed-tree.ts";
import { entriesBetween } from "./load.ts";

/** A session file read through the index. */
export interface IndexedFile {
  tree: IndexedTree;
  stat: FileStat;
  /** Bytes up to the end of the last complete line. */
  end: number;
  /** CRC-32 of these bytes. */
  whole: number;
}

/**
 * Opens a session through the index: rows for what the index has read, proved by its Cursor, and the bytes
 * after that from the file. Null when the file has to be read whole: the index does not have it, or not as it
 * is now; it is of an older version; its tree is damaged; or the index cannot be read at the moment.
 *
 * @throws the file system's error when the file itself cannot be read.
 */
export function openIndexed(path: string, index: Index): IndexedFile | null {
  const file = CachedHandle.of(path, openForReading(path));
  let opened: IndexedFile | null = null;
  try {
    opened = readThrough(index.database, path, file);
    if (opened !== null) closeWith(opened.tree, file);
    return opened;
  } catch (error) {
    if (isIndexFault(error)) return null;
    throw error;
  } finally {
    if (opened === null) file.close();
  }
}

function readThrough(database: Database, path: string, file: CachedHandle): IndexedFile | null {
  const stat = statOpenFile(file.fd);
  const realPath = realpathSync(path);
  const known = inOneState(database, () => knownOf(database, realPath));
  if (known === null || !prefixHolds(file.fd, known.cursor, stat)) return null;
  const header = headerOfOpenFile(file.fd);
  if (header === null) return null;
  const prefix = new IndexedPrefix(database, file, known.facts);
  const { entries, end } = entriesBetween(path, file.fd, { from: known.facts.end, to: stat.size });
  if (!continues(entries, prefix)) return null;
  const readWhole = (to: number): FileEntry[] => wholeOf(path, file, to);
  const whole = continueCrc(file.fd, known.facts.end, end, known.cursor.fingerprint.whole);
  return { tree: new IndexedTree(header, prefix, entries, readWhole), stat, end, whole };
}

/** Throws if the file, which was a session when it was opened, is none any more. */
function wholeOf(path: string, file: CachedHandle, to: number): FileEntry[] {
  const { entries } = entriesBetween(path, file.fd, { from: 0, to });
  if (entries[0]?.type !== "session") throw sessionFileReplaced(path);
  return entries;
}

const FACTS = `SELECT name, entry_count AS entryCount, leaf_key AS lastKey, branch_count AS branchCount FROM sessions
  WHERE file_id = ? AND version >= 3 AND walk_by_text = 0 AND irregular = 0 AND leaf_key IS NOT NULL`;

/** Null also for a file whose last line had no end when it was indexed: it may have been continued since. */
function knownOf(database: Database, realPath: string): { cursor: Cursor; facts: PrefixFacts } | null {
  const cursor = loadCursor(database, realPath);
  if (cursor === null || cursor.status !== "session" || cursor.provisionalLength > 0) return null;
  const row = prepared(database, FACTS).get(cursor.fileId) as
    | (Pick<PrefixFacts, "name" | "entryCount" | "lastKey"> & { branchCount: number })
    | undefined;
  if (row === undefined) return null;
  const { branchCount, ...session } = row;
  const { fileId, generation, offset: end } = cursor;
  return { cursor, facts: { ...session, isLinear: branchCount === 1, fileId, generation, end } };
}

/** Whether the tail is as sound as the prefix: each id is a text, is new, and is no parent of entries before it. */
function continues(tail: readonly FileEntry[], prefix: IndexedPrefix): boolean {
  const seen = new Set<string>();
  const lost = prefix.lostParents();
  for (const entry of tail) {
    if (entry.type === "session") continue;
    const id: unknown = entry.id;
    if (typeof id !== "string" || id === "" || seen.has(id) || lost.has(id)) return false;
    seen.add(id);
  }
  return seen.size === 0 || !prefix.holdsAny(seen);
}
