import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resolveSession } from "../../src/filters/resolve-session.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { readHealth } from "../../src/reports/file-problems.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { checkedFiles, Verifier } from "../../src/reports/verify/verify-sessions.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { searchEntries } from "../../src/search/search.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { readSessionNodes } from "../../src/store/tables/entry-nodes.ts";
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
    for (const file of checkedFiles(index, [root])) verifier.file(file);
    verifier.close();
    expect(verifier.result.differences).toEqual([]);
  });
});

test.each<[string, unknown[], Record<string, unknown>]>([
  ["whose entries have ids", [], { id: "m1" }],
  ["whose header is not the first element", [null], {}],
])(
  "what an array without a version %s has cost is counted once when it goes on beside",
  (_name, before, own) => {
    const root = tempDir();
    const path = join(root, "session.json");
    const timestamp = "2026-11-20T12:00:00.000Z";
    const answer = session().assistant({ usage: sampleUsage(1) }).entries[0]?.message;
    const header = { type: "session", id: "old", timestamp, cwd: "/home/ada" };
    const entry = { type: "message", timestamp, message: answer, ...own };
    writeFileSync(path, JSON.stringify([...before, header, entry]));
    withIndex(tempDir(), (index) => {
      const counted = () => index.database.prepare("SELECT count(*), sum(counted) FROM usage").raw().get();
      syncAll(index, [root]);
      expect(counted()).toEqual([1, 1]);
      SessionManager.open(path).appendMessage({ role: "user", content: "thanks", timestamp: 0 });
      syncAll(index, [root]);
      expect(counted()).toEqual([2, 1]);
    });
  },
);

test("an array in which an id comes twice goes on beside with all that was said", () => {
  const path = session({ version: 1 })
    .user("one", { id: "twice" })
    .user("two", { id: "other" })
    .user("three", { id: "twice" })
    .write(join(tempDir(), "session.json"));
  const manager = SessionManager.open(path);
  manager.appendMessage({ role: "user", content: "four", timestamp: 0 });
  expect(manager.getBranch()).toHaveLength(4);
});

test("what is no entry is listed by its place, also where several stand on one line", () => {
  const root = tempDir();
  const { header, entries } = conversation();
  const written = [header, 1, "no entry", entries[0], null, entries[1]].map((each) => JSON.stringify(each));
  writeFileSync(join(root, "session.json"), `[${written.join(",")}]`);
  withIndex(tempDir(), (index) => {
    const { troubles } = syncAll(index, [root]);
    expect(troubles.map(({ kind, detail }) => [kind, detail])).toEqual([["malformed", "3"]]);
    const listed = index.database.prepare("SELECT line, offset, length FROM malformed_lines").raw().all();
    const from = (element: number) => Buffer.byteLength(written.slice(0, element).join(",")) + 2;
    expect(listed).toEqual([
      [1, from(1), 1],
      [1, from(2), 10],
      [1, from(4), 4],
    ]);
    expect(readHealth(index, 3).malformed).toHaveLength(1);
    const verifier = new Verifier(index);
    for (const file of checkedFiles(index, [root])) verifier.file(file);
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
