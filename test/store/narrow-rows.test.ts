import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { dumpIndex } from "../helpers/index-dump.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const APPLICATION_ID = 0x70697364;
/** How many migrations there were before the rows became narrow, and the version of what they held. */
const WIDE = { migrations: 10, ingestVersion: 7 };

/** An index as programs left it that kept everything in every row, with the entries 5 to 7. */
function wideIndex(folder: string): void {
  const database = new (loadSqlite())(indexIn(folder).indexPath);
  const migrationsFolder = join(import.meta.dirname, "../../migrations/index");
  for (const { sql } of readMigrationFiles({ migrationsFolder }).slice(0, WIDE.migrations))
    for (const part of sql) database.exec(part);
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${WIDE.ingestVersion}`);
  database.exec(`
    INSERT INTO meta (name, value) VALUES ('migrations', '${WIDE.migrations}'), ('next_entry_key', '8');
    INSERT INTO files (id, path, real_path, device, inode, size, mtime_ms, ctime_ms, status, indexed_at)
      VALUES (1, '/gone.jsonl', '/gone.jsonl', 1, 1, 1, 1, 1, 'session', 1);
    INSERT INTO entries (key, file_id, line, offset, length, type, preview)
      VALUES (5, 1, 2, 3, 4, 'custom', ''), (6, 1, 3, 5, 4, 'custom', ''), (7, 1, 4, 9, 4, 'custom', '')`);
  database.close();
}

test("D12: an index with wide rows is emptied, and the full text is told which entries are gone", () => {
  const folder = tempDir();
  wideIndex(folder);
  const [wasEmptied, removed, left] = withIndex(folder, (index) => [
    index.wasEmptied,
    index.database.prepare("SELECT first_key, last_key FROM removed_keys").raw().all(),
    ["files", "entries", "messages", "usage"].map((name) =>
      index.database.prepare(`SELECT count(*) FROM ${name}`).pluck().get(),
    ),
  ]);
  expect([wasEmptied, removed, left]).toEqual([true, [[5, 7]], [0, 0, 0, 0]]);
});

test("D12: it is filled as a new one is, and no key is used twice", () => {
  const [root, old, fresh] = [tempDir(), tempDir(), tempDir()];
  const parent = session().user("question").assistant().toolResult("out");
  parent.label(parent.lastId ?? "", "mark").writeBelow(root);
  wideIndex(old);
  const [first, ...dumps] = [old, fresh].flatMap((folder) =>
    withIndex(folder, (index) => {
      syncAll(index, [root]);
      feedSearch(index);
      return [index.database.prepare("SELECT min(key) FROM entries").pluck().get(), dumpIndex(index)];
    }),
  );
  expect([first, dumps[0]]).toEqual([8, dumps[2]]);
});
