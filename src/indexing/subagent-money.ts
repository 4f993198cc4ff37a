import { beyond, familyFolder, insideOf } from "../files/session-path.ts";
import { groupedBy } from "../runtime/collections.ts";
import type { Database, Statement } from "../store/native.ts";
import { columnOf, propertiesOf, RowInsert, selectList } from "../store/tables/row-sql.ts";
import { STATED_USAGE_OF_FILE } from "../store/tables/usage-rows.ts";

/*
 * A tool result states what its sub-agents have spent. Where they have sessions in the index, what those state counts, and
 * of the result only the rest: of each kind of token, and of the cost, what is stated less the sum of the sessions, or
 * nothing. Whatever a result names is taken off it; sessions that only lie in the parent's folder are taken off the results
 * that came after they began, each once. Filters never change it.
 */

const NUMBERS = propertiesOf("unaccounted_usage", ["entryKey"]);

type Numbers = Record<(typeof NUMBERS)[number], number>;

const OF_TOOLS = "u.kind IN (SELECT id FROM usage_kinds WHERE source = 'tool')";

const STATED = NUMBERS.map((name) => `u.${columnOf("usage_rows", name)} AS ${name}`).join(", ");

const RESULTS = `SELECT u.entry_key AS entryKey, u.timestamp, u.accounted, ${STATED}
  FROM ${STATED_USAGE_OF_FILE} WHERE e.file_id = ? AND ${OF_TOOLS} ORDER BY u.entry_key`;

const COUNTED = NUMBERS.map((name) => `u.${columnOf("usage", name)} AS ${name}`).join(", ");

const NAMED = `SELECT DISTINCT entry_key AS entryKey, child_file_id AS fileId FROM subagents
  WHERE file_id = ? AND child_file_id IS NOT NULL ORDER BY entry_key, child_file_id`;

/**
 * Copies of a file have its results, but not its folder. Where a session of a sub-agent is gone, a fork of it may hold what
 * it has spent.
 */
const IN_FOLDER = `SELECT file_id AS fileId, created_at AS createdAt, NULL AS until FROM sessions
    WHERE origin = 'subagent' AND file_id <> @fileId AND parent_file_id IN (SELECT c.file_id FROM sessions c
      WHERE c.session_id = (SELECT session_id FROM sessions WHERE file_id = @fileId))
  UNION ALL
  SELECT s.file_id, NULL, s.created_at FROM sessions s WHERE s.copied = 1 AND s.file_id <> @fileId
    AND (s.parent_path > @folder AND s.parent_path < @beyond OR s.parent_path IN (SELECT session_file FROM subagents WHERE file_id = @fileId))
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.path = s.parent_path)
  ORDER BY 2, 1`;

const IS_ACCOUNTED = "SELECT 1 FROM usage_rows WHERE file_id = ? AND accounted <> 0 LIMIT 1";

const FOLDER = "SELECT path FROM files WHERE id = ?";

/** What some sessions and the sub-agents of theirs hold, of what was spent before a time. */
const SPENT = `WITH RECURSIVE spending(file_id) AS (
    SELECT value FROM json_each(@fileIds)
    UNION SELECT s.file_id FROM spending p JOIN sessions s ON s.parent_file_id = p.file_id
      WHERE s.origin = 'subagent' AND s.file_id <> @parent)
  SELECT u.bill || ' ' || u.stated_tokens AS billed, ${COUNTED} FROM spending p
    CROSS JOIN entry_rows e ON e.file_id = p.file_id CROSS JOIN usage u ON u.entry_key = e.key
  WHERE (@until IS NULL OR u.timestamp < @until) AND NOT EXISTS (SELECT 1 FROM usage_rows t
    WHERE t.bill = u.bill AND t.counted IN (0, 1) AND t.file_id = @parent AND t.total_tokens = u.stated_tokens)`;

const UNACCOUNTED = `SELECT ${selectList("unaccounted_usage", NUMBERS)}
  FROM unaccounted_usage WHERE entry_key = ?`;

/** US dollars that are nothing: what is left where floats were added in another order. */
const NO_MONEY = 1e-9;

interface Result extends Numbers {
  entryKey: number;
  /** Unix ms. */
  timestamp: number | null;
  accounted: 0 | 1 | 2;
}

interface Child {
  fileId: number;
  /** Unix ms; null where it is not known. */
  createdAt: number | null;
  /** Unix ms: what it holds from before is meant; null for all. */
  until: number | null;
}

/** What was spent, by bill: copies of a request are one. */
type Bills = Map<string, Numbers>;

/** Decides what counts of the results that state their sub-agents' usage. */
export class SubagentMoney {
  readonly #results: Statement;
  readonly #named: Statement;
  readonly #path: Statement;
  readonly #inFolder: Statement;
  readonly #isAccounted: Statement;
  readonly #spent: Statement;
  readonly #unaccounted: Statement;
  readonly #save: RowInsert<"unaccounted_usage">;
  readonly #clear: Statement;
  readonly #setAccounted: Statement;

  constructor(database: Database) {
    this.#results = database.prepare(RESULTS);
    this.#named = database.prepare(NAMED);
    this.#path = database.prepare(FOLDER).pluck();
    this.#inFolder = database.prepare(IN_FOLDER);
    this.#isAccounted = database.prepare(IS_ACCOUNTED);
    this.#spent = database.prepare(SPENT);
    this.#unaccounted = database.prepare(UNACCOUNTED);
    this.#save = new RowInsert(database, "unaccounted_usage", { replaces: true });
    this.#clear = database.prepare("DELETE FROM unaccounted_usage WHERE entry_key = ?");
    this.#setAccounted = database.prepare("UPDATE usage_rows SET accounted = ? WHERE entry_key = ?");
  }

  /**
   * Decides for all results of a file; those of its sub-agents have to be decided. Returns whether anything has changed. Almost
   * no file has sub-agents: its results are not even looked for.
   */
  decide(fileId: number): boolean {
    const path = this.#path.get(fileId) as string | undefined;
    if (path === undefined) return false;
    const all = this.#named.all(fileId) as { entryKey: number; fileId: number }[];
    const folder = familyFolder(path);
    const range = { folder: insideOf(folder), beyond: beyond(folder) };
    const children = this.#inFolder.all({ fileId, ...range }) as Child[];
    if (all.length + children.length === 0 && this.#isAccounted.get(fileId) === undefined) return false;
    const isNamed = new Set(all.map((each) => each.fileId));
    const billsOf = (fileIds: Iterable<number>, until: number | null = null) =>
      this.#billsOf([...fileIds], fileId, until);
    const unnamed = new UnnamedChildren(
      children.filter((child) => !isNamed.has(child.fileId)),
      billsOf(isNamed),
      ({ fileId: child, until }) => billsOf([child], until),
    );
    const named = groupedBy(all, ({ entryKey }) => entryKey);
    let hasChanged = false;
    for (const result of this.#results.all(fileId) as Result[]) {
      const rest = numbersOf(result);
      const ids = (named.get(result.entryKey) ?? []).map((each) => each.fileId);
      for (const spent of billsOf(ids).values()) takeOff(rest, spent);
      unnamed.takeOff(rest, result.timestamp);
      if (this.#note(result, rest)) hasChanged = true;
    }
    return hasChanged;
  }

  #billsOf(fileIds: number[], parent: number, until: number | null): Bills {
    if (fileIds.length === 0) return new Map();
    const rows = this.#spent.all({ fileIds: JSON.stringify(fileIds), parent, until });
    return new Map((rows as (Numbers & { billed: string })[]).map((row) => [row.billed, row]));
  }

  #note(result: Result, rest: Numbers): boolean {
    const accounted = isSame(result, rest) ? 0 : isNothing(rest) ? 2 : 1;
    const known = this.#unaccounted.get(result.entryKey) as Numbers | undefined;
    if (accounted === result.accounted && (accounted !== 1 || (known && isSame(known, rest)))) return false;
    this.#setAccounted.run(accounted, result.entryKey);
    if (accounted === 1) this.#save.run({ entryKey: result.entryKey, ...rest });
    else this.#clear.run(result.entryKey);
    return true;
  }
}

/** Sessions that no result names: what they have spent is taken off the results that came after they began, each bill once. */
class UnnamedChildren {
  readonly #waiting: Child[];
  readonly #taken: Bills;
  readonly #billsOf: (child: Child) => Bills;
  readonly #available = numbersOf({});

  /** @param named what results have named, which is not taken off others */
  constructor(children: Child[], named: Bills, billsOf: (child: Child) => Bills) {
    this.#waiting = children;
    this.#taken = named;
    this.#billsOf = billsOf;
  }

  /** @param time of the result, Unix ms */
  takeOff(rest: Numbers, time: number | null): void {
    this.#addUntil(time ?? Number.MAX_SAFE_INTEGER);
    const before = { ...rest };
    takeOff(rest, this.#available);
    for (const name of NUMBERS) {
      this.#available[name] = Math.max(0, this.#available[name] - (before[name] - rest[name]));
    }
  }

  #addUntil(time: number): void {
    for (let child = this.#waiting[0]; child && (child.createdAt ?? 0) <= time; child = this.#waiting[0]) {
      this.#waiting.shift();
      for (const [bill, spent] of this.#billsOf(child)) {
        if (this.#taken.has(bill)) continue;
        this.#taken.set(bill, spent);
        for (const name of NUMBERS) this.#available[name] += spent[name];
      }
    }
  }
}

function numbersOf(numbers: Partial<Numbers>): Numbers {
  return Object.fromEntries(NUMBERS.map((name) => [name, numbers[name] ?? 0])) as unknown as Numbers;
}

function takeOff(from: Numbers, spent: Numbers): void {
  for (const name of NUMBERS) {
    const left = from[name] - spent[name];
    from[name] = left < (name.startsWith("cost") ? NO_MONEY : 0) ? 0 : left;
  }
}

function isNothing(numbers: Numbers): boolean {
  return NUMBERS.every((name) => numbers[name] === 0);
}

function isSame(one: Numbers, other: Numbers): boolean {
  return NUMBERS.every((name) => Math.abs(one[name] - other[name]) < NO_MONEY);
}
