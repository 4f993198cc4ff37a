import type { Database, Statement } from "../store/native.ts";
import { LAST, rankIn, SAME_BILL_STATED, STATED_USAGE_OF_FILE } from "../store/tables/usage-rows.ts";

/** The copies `t` of a bill `u`, with what their rank depends on. */
const COPIES = `usage_rows t CROSS JOIN files f ON f.id = t.file_id
  LEFT JOIN sessions s ON s.file_id = t.file_id WHERE ${SAME_BILL_STATED}`;

/** Sorted for one row SQLite goes through them once and holds none but the best so far. */
const FIRST = `ORDER BY ${rankIn("s", "f", "t.entry_key")} LIMIT 1`;

const FIRST_COPY = `SELECT t.entry_key FROM ${COPIES} ${FIRST}`;

const FIRST_ELSEWHERE = `SELECT t.entry_key FROM ${COPIES} AND t.file_id <> u.file_id ${FIRST}`;

const CANONICAL_OF_FILE = `${STATED_USAGE_OF_FILE} WHERE e.file_id = ? AND u.counted = 1`;

const FIRST_COPIES = `SELECT own.entry_key, own.file_id, t.entry_key, t.file_id
  FROM (SELECT u.entry_key, u.file_id, (${FIRST_COPY}) AS first_key FROM ${CANONICAL_OF_FILE}) own
  CROSS JOIN usage_rows t ON t.entry_key = own.first_key WHERE t.entry_key <> own.entry_key`;

const SUCCESSORS = `SELECT own.entry_key, own.file_id, t.entry_key, t.file_id
  FROM (SELECT u.entry_key, u.file_id, (${FIRST_ELSEWHERE}) AS successor_key FROM ${CANONICAL_OF_FILE}) own
  CROSS JOIN usage_rows t ON t.entry_key = own.successor_key`;

const OWN_RANK = rankIn("s", "f", "u.entry_key");
const RANK_OF_CANONICAL = rankIn("ts", "tf", "t.entry_key");

/** The row that counts is found at once, however many copies there are. */
const REPLACING = `SELECT t.entry_key, t.file_id, u.entry_key, u.file_id
  FROM ${STATED_USAGE_OF_FILE} CROSS JOIN usage_rows t ON ${SAME_BILL_STATED} AND t.counted = 1
  JOIN files f ON f.id = u.file_id LEFT JOIN sessions s ON s.file_id = u.file_id
  JOIN files tf ON tf.id = t.file_id LEFT JOIN sessions ts ON ts.file_id = t.file_id
  WHERE e.file_id = ? AND u.counted = 0
    AND (${OWN_RANK}) < (${RANK_OF_CANONICAL})
  ORDER BY u.entry_key`;

const SHARING_TIME = `SELECT s.file_id FROM json_each(?) j JOIN sessions s ON s.file_id = j.value
  WHERE coalesce(s.created_at, ${LAST}) IN
    (SELECT coalesce(created_at, ${LAST}) FROM sessions GROUP BY 1 HAVING count(*) > 1)`;

const LAST_FIRST = `SELECT j.value FROM json_each(?) j JOIN files f ON f.id = j.value
  LEFT JOIN sessions s ON s.file_id = f.id ORDER BY coalesce(s.created_at, ${LAST}) DESC, f.path DESC`;

/** A row that counts and its copy that shall count instead. */
export interface Successor {
  ofKey: number;
  ofFile: number;
  entryKey: number;
  fileId: number;
}

/** Finds which copies count in place of others. Each bill is looked at once or twice, however many copies it has. */
export class CanonicalElection {
  readonly #successors: Statement;
  readonly #firstCopies: Statement;
  readonly #replacing: Statement;
  readonly #sharingTime: Statement;
  readonly #lastFirst: Statement;

  constructor(database: Database) {
    this.#successors = database.prepare(SUCCESSORS).raw();
    this.#firstCopies = database.prepare(FIRST_COPIES).raw();
    this.#replacing = database.prepare(REPLACING).raw();
    this.#sharingTime = database.prepare(SHARING_TIME).pluck();
    this.#lastFirst = database.prepare(LAST_FIRST).pluck();
  }

  /** Copies in other files, for the rows of a file that count. */
  successors(fileId: number): Successor[] {
    return toSuccessors(this.#successors.all(fileId));
  }

  /** Copies in whatever file that go before the rows of a file that count. */
  firstCopies(fileId: number): Successor[] {
    return toSuccessors(this.#firstCopies.all(fileId));
  }

  /** Rows of a file that do not count and go before the one that does. */
  replacing(fileId: number): Successor[] {
    const found = toSuccessors(this.#replacing.all(fileId));
    // A file may hold a bill several times: the first of them goes before the others.
    const replaced = new Set<number>();
    return found.filter(({ ofKey }) => !replaced.has(ofKey) && replaced.add(ofKey));
  }

  /** Those of the files whose path may decide: another session was created at the same time. */
  sharingTime(fileIds: Iterable<number>): number[] {
    return this.#sharingTime.all(JSON.stringify([...fileIds])) as number[];
  }

  /** Files by the rank of their rows, the last one first. */
  lastFirst(fileIds: readonly number[]): number[] {
    return this.#lastFirst.all(JSON.stringify(fileIds)) as number[];
  }
}

function toSuccessors(rows: unknown[]): Successor[] {
  return (rows as [number, number, number, number][]).map(([ofKey, ofFile, entryKey, fileId]) => ({
    ofKey,
    ofFile,
    entryKey,
    fileId,
  }));
}
