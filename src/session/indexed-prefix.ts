import { isSqliteError } from "../errors.ts";
import type { CachedHandle } from "../files/handle-cache.ts";
import { readFully } from "../files/lines.ts";
import { parseEntryLine } from "../format/parse.ts";
import type { SessionEntry } from "../format/types.ts";
import type { Database } from "../store/native.ts";
import { inOneState, prepared } from "../store/statements.ts";
import { CHILDREN, ON_BRANCH, ROOT_KEYS, STRETCHES } from "../store/tables/entry-rows.ts";
import { assertHolds } from "./load.ts";

/** An entry as it stands in the index: enough to walk the tree and to decide what the model's context needs. */
export interface IndexNode {
  key: number;
  id: string;
  parentKey: number | null;
  type: string;
  role: string | null;
  /** Bytes. */
  offset: number;
  length: number;
}

/** The entries of one file that the index held, and were proved to be those of the file, when the file was opened. */
export interface PrefixFacts {
  fileId: number;
  generation: number;
  /** How many bytes of the file are in the index as whole lines. */
  end: number;
  /** Key of the last entry; keys of one file rise in file order. */
  lastKey: number;
  entryCount: number;
  /** Whether the tree never branches: then an entry is on the branch of every later one. */
  isLinear: boolean;
  name: string | null;
}

/** Thrown when the index or the file is no longer the one that was opened. */
class StalePrefix extends Error {}

/** Whether an error says that the index has failed or changed, so that the file has to be read instead. */
export function isIndexFault(error: unknown): boolean {
  return error instanceof StalePrefix || isSqliteError(error);
}

const NODE = `e.key, e.entry_id AS id, e.parent_key AS parentKey, k.type, k.role, e.offset, e.length`;

/** A CROSS JOIN keeps the order: otherwise SQLite might begin with the kinds, because they are few. */
const OF_KIND = "CROSS JOIN entry_kinds k ON k.id = e.kind";

const ENTRIES = `SELECT ${NODE} FROM entries e ${OF_KIND}`;

const BY_ID = `${ENTRIES} WHERE e.file_id = @fileId AND e.entry_id = @id AND e.key <= @lastKey`;

const HELD = `SELECT 1 FROM entry_rows WHERE file_id = @fileId AND key <= @lastKey
  AND entry_id IN (SELECT value FROM json_each(@ids)) LIMIT 1`;

const BY_KEY = `${ENTRIES} WHERE e.key = @key AND e.file_id = @fileId`;

const BELOW = `${ENTRIES} WHERE e.key <= @lastKey AND e.key IN (SELECT key FROM (${CHILDREN})) ORDER BY e.key`;

const BRANCH = `${STRETCHES} SELECT ${NODE} FROM ${ON_BRANCH} ${OF_KIND} ORDER BY e.key`;

const IS_ON_BRANCH = `${STRETCHES} SELECT ${NODE} FROM ${ON_BRANCH} ${OF_KIND} WHERE e.key = @low`;

const BOUNDARIES = `SELECT ${NODE} FROM turning_entries t CROSS JOIN entries e ON e.key = t.key ${OF_KIND}
  WHERE t.file_id = @fileId AND t.key <= @key ORDER BY t.key DESC`;

/** Keys are never reused, but ids of files are: only the last entry proves that the rows are still the same. */
const STATE = `SELECT generation, offset FROM files f WHERE f.id = ?
  AND EXISTS (SELECT 1 FROM entries e WHERE e.key = ? AND e.file_id = f.id)`;
const ORPHANS = `${ROOT_KEYS} AND key <= @lastKey`;

const OF_LOST = `${ENTRIES} WHERE e.parent_id = @parentId AND e.key IN (${ORPHANS}) ORDER BY e.key`;
const LOST = `SELECT unknown_parent FROM entry_rows WHERE unknown_parent IS NOT NULL AND key IN (${ORPHANS})`;
const IDS = "SELECT entry_id FROM entries WHERE file_id = ? AND key <= ?";
/** Not from the table of labels in force, which also has labels from after the prefix. */
const LABELS = `SELECT e.target_id, max(e.key) FROM entries e
  WHERE e.file_id = ? AND e.type = 'label' AND e.key <= ? GROUP BY e.target_id`;

/**
 * Reads entries of one session through the index: rows for the tree, bodies by offset from the open file.
 *
 * @throws StalePrefix from every method when index or file changed since; SQLite's errors
 */
export class IndexedPrefix {
  readonly facts: PrefixFacts;
  readonly #file: CachedHandle;
  readonly #database: Database;
  readonly #bodies = new Map<number, SessionEntry>();

  constructor(database: Database, file: CachedHandle, facts: PrefixFacts) {
    this.#database = database;
    this.#file = file;
    this.facts = facts;
  }

  /** Undefined also for anything but a string: callers pass values from files. */
  byId(id: unknown): IndexNode | undefined {
    if (typeof id !== "string") return undefined;
    return this.#query(BY_ID, { id })[0];
  }

  /** The row with a key that must be there. */
  byKey(key: number): IndexNode {
    const [row] = this.#query(BY_KEY, { key });
    if (row === undefined) throw new StalePrefix();
    return row;
  }

  children(key: number): IndexNode[] {
    return this.#query(BELOW, { key });
  }

  /** Entries that name this parent, which is not in the prefix. */
  orphans(parentId: string): IndexNode[] {
    return this.#query(OF_LOST, { parentId });
  }

  /** The branch of an entry of the prefix, root first; without entries whose keys are below `low`. */
  branch(key: number, low = 0): IndexNode[] {
    return this.#query(BRANCH, { key, low });
  }

  /** Whether an entry lies on the branch of another. */
  isOnBranch(key: number, leafKey: number): boolean {
    return this.#query(IS_ON_BRANCH, { key: leafKey, low: key }).length > 0;
  }

  /** Compactions and changes of settings up to an entry, latest first, on whatever branch. */
  boundaries(key: number): IndexNode[] {
    return this.#query(BOUNDARIES, { key });
  }

  /**
   * For each labelled entry, the key of the one that last set or cleared its label. Looks at all entries of the file.
   */
  labelKeys(): Map<string, number> {
    const { fileId, lastKey } = this.facts;
    return this.#checked(
      () => new Map(prepared(this.#database, LABELS).raw().all(fileId, lastKey) as [string, number][]),
    );
  }

  /** Whether any of the ids is in the prefix. */
  holdsAny(ids: Iterable<string>): boolean {
    const { fileId, lastKey } = this.facts;
    const wanted = JSON.stringify([...ids]);
    return this.#checked(
      () => prepared(this.#database, HELD).get({ fileId, lastKey, ids: wanted }) !== undefined,
    );
  }

  /** All ids of the prefix. */
  ids(): Set<string> {
    const { fileId, lastKey } = this.facts;
    return this.#checked(
      () => new Set(prepared(this.#database, IDS).pluck().all(fileId, lastKey) as string[]),
    );
  }

  /** The ids that entries of the prefix name as parents although no entry in it has them. */
  lostParents(): Set<string> {
    const { fileId, lastKey } = this.facts;
    return this.#checked(
      () => new Set(prepared(this.#database, LOST).pluck().all({ fileId, lastKey }) as string[]),
    );
  }

  /** The entries of nodes, in their order; the same entry is the same object every time. */
  bodies(nodes: readonly IndexNode[]): SessionEntry[] {
    const wanted = nodes.filter((node) => !this.#bodies.has(node.key)).sort((a, b) => a.offset - b.offset);
    for (let start = 0; start < wanted.length; ) {
      const run = runFrom(wanted, start);
      this.#readRun(run);
      start += run.length;
    }
    return nodes.map((node) => this.#known(node));
  }

  /** The entries read so far. */
  knownBodies(): Iterable<SessionEntry> {
    return this.#bodies.values();
  }

  /** Reads nodes that stand close together at once. */
  #readRun(run: readonly IndexNode[]): void {
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) return;
    for (const node of run) assertHolds(this.#file.path, node);
    const bytes = Buffer.allocUnsafe(last.offset + last.length - first.offset);
    if (readFully(this.#file.fd, bytes, 0, bytes.length, first.offset) < bytes.length)
      throw new StalePrefix();
    for (const node of run) {
      const from = node.offset - first.offset;
      this.#bodies.set(node.key, bodyOf(bytes.subarray(from, from + node.length), node));
    }
  }

  #known(node: IndexNode): SessionEntry {
    const entry = this.#bodies.get(node.key);
    if (entry === undefined) throw new Error(`the body of entry ${node.id} was not read`);
    return entry;
  }

  #query(sql: string, values: Record<string, number | string>): IndexNode[] {
    const { fileId, lastKey } = this.facts;
    return this.#checked(
      () => prepared(this.#database, sql).all({ ...values, fileId, lastKey }) as IndexNode[],
    );
  }

  /** Reads, and checks that the prefix still holds, in one state of the database. */
  #checked<T>(read: () => T): T {
    return inOneState(this.#database, () => {
      const state = prepared(this.#database, STATE).get(this.facts.fileId, this.facts.lastKey) as
        | { generation: number; offset: number }
        | undefined;
      if (state?.generation !== this.facts.generation || state.offset < this.facts.end)
        throw new StalePrefix();
      return read();
    });
  }
}

/** Up to so many bytes between two entries are read along: that is faster than a second read. */
const GAP_BYTES = 64 * 1024;

/** The most bytes read at once, unless one entry is longer. With 4 MB, building a context would peak 5 MB higher. */
const READ_BYTES = 512 * 1024;

/** The nodes from `start` on, sorted by offset, that stand close together. */
function runFrom(wanted: readonly IndexNode[], start: number): IndexNode[] {
  const first = wanted[start];
  if (first === undefined) return [];
  let end = start + 1;
  let reached = first.offset + first.length;
  for (let next = wanted[end]; next !== undefined; next = wanted[++end]) {
    const nextEnd = next.offset + next.length;
    if (next.offset - reached > GAP_BYTES || nextEnd - first.offset > READ_BYTES) break;
    reached = nextEnd;
  }
  return wanted.slice(start, end);
}

function bodyOf(bytes: Buffer, node: IndexNode): SessionEntry {
  const entry = parseEntryLine(bytes.toString("utf8"));
  if (entry === null || entry.type === "session" || entry.id !== node.id) throw new StalePrefix();
  return entry;
}
