import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { searchEntries } from "../../src/query/search/search.ts";
import { resolveSession } from "../../src/query/session-name.ts";
import { readSessionNodes } from "../../src/query/session-nodes.ts";
import { listSessions } from "../../src/query/sessions.ts";
import { sessionFiles, Verifier } from "../../src/query/verify/verify.ts";
import { feedSearch } from "../../src/sync/full-text/search-feed.ts";
import { syncAll } from "../../src/sync/sync-all.ts";
import { withIndex } from "../helpers/open-index.ts";
import { sampleUsage } from "../helpers/sample-usage.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function conversation(): SessionBuilder {
  return session().user('brackets ] } and \\" quotes, 天气').assistant({ text: "an orchard" }).user("thanks");
}

/** Indexes a root and says what became of it. */
function indexed(root: string): { entries: number; statuses: string[]; lines: number[]; hits: number } {
  return withIndex(tempDir(), (index) => {
    syncAll(index, [root]);
    feedSearch(index);
    return {
      entries: listSessions(index).sessions[0]?.entryCount ?? 0,
      statuses: index.database.prepare("SELECT status FROM files").pluck().all() as string[],
      lines: index.database.prepare("SELECT line FROM entries ORDER BY key").pluck().all() as number[],
      hits: searchEntries(index, "orchard").total + searchEntries(index, "天气").total,
    };
  });
}

test("a session in one array is listed and searched like any other", () => {
  const root = tempDir();
  conversation().write(join(root, "session.json"));
  expect(indexed(root)).toMatchObject({ entries: 3, statuses: ["session"], hits: 2 });
});

test("entries of an indented array stand on their own lines of the file", () => {
  const root = tempDir();
  const { header, entries } = conversation();
  writeFileSync(
    join(root, "session.json"),
    `[\n${[header, ...entries].map((e) => JSON.stringify(e)).join(",\n")}\n]\n`,
  );
  expect(indexed(root).lines).toEqual([3, 4, 5]);
});

test("entries without ids are told apart in an array of one line, and counted once beside the same lines", () => {
  const root = tempDir();
  const usage = sampleUsage(1);
  const said = session({ id: "old", version: 1 })
    .user("one")
    .assistant({ usage })
    .user("two")
    .assistant({ usage });
  said.write(join(root, "a.jsonl"));
  said.write(join(root, "b.json"));
  withIndex(tempDir(), (index) => {
    syncAll(index, [root]);
    const column = (sql: string) => index.database.prepare(sql).pluck().all();
    const ids = ["v1-2", "v1-3", "v1-4", "v1-5"];
    expect(column("SELECT entry_id FROM entries ORDER BY file_id, key")).toEqual([...ids, ...ids]);
    expect(
      column("SELECT sum(counted) FROM usage u JOIN files f ON f.id = u.file_id GROUP BY path ORDER BY path"),
    ).toEqual([2, 0]);
    const onBranch = listSessions(index).sessions.map(({ path }) => {
      const nodes = readSessionNodes(index, resolveSession(index, path));
      return nodes.pathTo(nodes.leaf).length;
    });
    expect(onBranch).toEqual([4, 4]);
    const verifier = new Verifier(index);
    for (const file of sessionFiles(index, [root])) verifier.session(file);
    verifier.close();
    expect(verifier.result.differences).toEqual([]);
  });
});

test.each([
  ["an object", '{"a": 1}', "empty"],
  ["half an array", '[{"type":"session","id":"a"}', "empty"],
  ["an array of something else", '[{"name":"x"},{"type":"session","id":"a"}]', "not_session"],
  ["nothing", "", "empty"],
])("a .json file with %s is left alone", (_name, text, status) => {
  const root = tempDir();
  writeFileSync(join(root, "other.json"), text);
  expect(indexed(root)).toMatchObject({ entries: 0, statuses: [status] });
  expect(readFileSync(join(root, "other.json"), "utf8")).toBe(text);
});

test("an array that was written anew, longer, is read anew", () => {
  const root = tempDir();
  const path = join(root, "session.json");
  conversation().write(path);
  withIndex(tempDir(), (index) => {
    syncAll(index, [root]);
    conversation().assistant({ text: "goodbye" }).write(path);
    syncAll(index, [root]);
    expect(listSessions(index).sessions.map((each) => each.entryCount)).toEqual([4]);
    appendFileSync(path, "\n");
    syncAll(index, [root]);
    expect(listSessions(index).sessions.map((each) => each.entryCount)).toEqual([4]);
  });
});
