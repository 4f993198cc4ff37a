import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { checkedFiles, Verifier } from "../../../src/reports/verify/verify-sessions.ts";
import type { Database } from "../../../src/store/native.ts";
import { type Index, openIndex } from "../../../src/store/open.ts";
import { indexIn } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const CURSOR = "the Cursor proves with it that a file was not touched; no answer reads it";

/** What may be wrong in the index without `verify` saying so, and why. */
const UNNOTICED: Record<string, string> = {
  "entry_rows.unknown_parent": "nobody reads it where the parent is there",
  "files.ctime_ms": CURSOR,
  "files.device": CURSOR,
  "files.generation": CURSOR,
  "files.head_fingerprint": CURSOR,
  "files.id": "nothing refers to the number of a file that is no session",
  "files.indexed_at": "a time that is in no file",
  "files.inode": CURSOR,
  "files.mtime_ms": CURSOR,
  "files.settled": CURSOR,
  "files.tail_fingerprint": CURSOR,
  "files.whole_fingerprint": CURSOR,
  key_lots: "what tells the full text whether it has followed this index",
  "key_lots.first_key": "the same",
  "key_lots.token": "the same",
  meta: "what the index notes of itself, and no file says",
  "meta.name": "the same",
  "meta.value": "the same",
  projects:
    "which directories of this machine are one, as far as somebody has looked; no session file says it",
  "projects.alias": "the same",
  "projects.cwd": "the same",
  "projects.inside": "the same",
  "projects.looked_at": "the same",
  "projects.place": "the same",
  "projects.project": "the same",
  "projects.remote": "the same",
  removed_keys: "what the full text has to forget; what it has is compared by itself",
  "removed_keys.first_key": "the same",
  "removed_keys.last_key": "the same",
  "removed_keys.seq": "the same",
  "tool_calls.key": "calls are told apart by the entries that make them",
};

/** Something in every column of every table. */
function writeStore(root: string): void {
  const usage = {
    input: 10,
    output: 5,
    cacheRead: 40,
    cacheWrite: 4,
    cost: { input: 1, output: 2, total: 3 },
  };
  const built = session({ id: "one", cwd: "/p" })
    .modelChange("openai", "gpt-5.5")
    .user("plan")
    .assistant({ usage, toolCalls: [{ name: "read", arguments: { path: "/a" } }] });
  built.toolResult("done", { toolCallId: "call-1", isError: true, usage }).raw("{torn").raw("[1]");
  built
    .label(built.lastId ?? "", "mark")
    .compaction("so far", { usage })
    .custom("mine");
  built.name("named").raw('{"type":"usage","kind":"cache_warm","usage":{"input":1}}');
  built.branchFrom(null).user("again").assistant({ provider: "ollama", model: "local" }).writeBelow(root);
  const fork = built.fork({ id: "two" }).assistant({ usage });
  fork.entry("note", {}, { parentId: "nowhere" }).torn('{"type":"last"}').writeBelow(root);
  const run = join(root, "s", "0f", "run-1", "session.jsonl");
  session({ id: "agent" })
    .user("delegated")
    .assistant({ usage, durationMs: 7, thinkingLevel: "high" })
    .write(run);
  const [bigger, more] = [{ ...usage, input: 25 }, { results: [{ agent: "scout", sessionFile: run }] }];
  session({ id: "s" })
    .assistant({ toolCalls: [{ name: "subagent" }] })
    .toolResult("done", { usage: bigger, details: more })
    .toolResult("again", { usage, details: { sessionFile: "/x/2026-01-01T00-00-00-000Z_other.jsonl" } })
    .write(join(root, "s.jsonl"));
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "other.jsonl"), '{"type":"other"}\n{"type":"session","id":"x"}\n');
}

function isNoticed(index: Index, root: string): boolean {
  const verifier = new Verifier(index);
  try {
    for (const file of checkedFiles(index)) verifier.file(file);
    verifier.counted();
    verifier.families();
    verifier.presence([root]);
    return verifier.result.differences.length > 0;
  } finally {
    verifier.close();
  }
}

interface Column {
  table: string;
  name: string;
  type: string;
  nullable: 0 | 1;
}

const COLUMNS = `SELECT m.name AS "table", c.name, c.type, c."notnull" = 0 AND c.pk = 0 AS nullable
  FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, c.cid`;

/** Statements that change one value of one row; each row is named by all its values. */
function* changesOf(database: Database, { table, name, type, nullable }: Column): Generator<string> {
  const names = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
  const quoted = names.map((each) => `'"${each}" IS ' || quote("${each}")`).join(" || ' AND ' || ");
  const rows = database.prepare(`SELECT ${quoted} FROM ${table}`).pluck().all() as string[];
  const other = type === "TEXT" ? `coalesce("${name}", '') || 'x'` : `coalesce("${name}", 0) + 1000003`;
  for (const row of rows) {
    yield `UPDATE OR FAIL ${table} SET "${name}" = ${other} WHERE ${row}`;
    if (nullable) yield `UPDATE OR FAIL ${table} SET "${name}" = NULL WHERE ${row} AND "${name}" IS NOT NULL`;
  }
}

test("whatever is changed in the index is noticed, but for what no answer depends on", () => {
  const root = join(tempDir(), "sessions");
  writeStore(root);
  const index = openIndex(indexIn(tempDir()));
  const { database } = index;
  try {
    syncAll(index, [root]);
    database.exec("INSERT INTO removed_keys (first_key, last_key) VALUES (1000, 1001)");
    database.exec("INSERT INTO projects VALUES ('/p', '/q', '/r', 'example.org/a', 'b', '/p', 1)");
    expect(isNoticed(index, root)).toBe(false);
    database.pragma("foreign_keys = OFF");
    const unnoticed = new Set<string>();
    const empty: string[] = [];
    const attempt = (what: string, sql: string): void => {
      database.exec("BEGIN");
      try {
        if (database.prepare(sql).run().changes > 0 && !isNoticed(index, root)) unnoticed.add(what);
      } finally {
        database.exec("ROLLBACK");
      }
    };
    for (const column of database.prepare(COLUMNS).all() as Column[]) {
      const changes = [...changesOf(database, column)];
      if (changes.length === 0) empty.push(column.table);
      for (const sql of changes) attempt(`${column.table}.${column.name}`, sql);
    }
    for (const table of database.prepare(`SELECT DISTINCT "table" FROM (${COLUMNS})`).pluck().all()) {
      attempt(String(table), `DELETE FROM ${table}`);
    }
    expect(empty).toEqual([]);
    expect([...unnoticed].sort()).toEqual(Object.keys(UNNOTICED).sort());
  } finally {
    index.close();
  }
});
