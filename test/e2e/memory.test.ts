import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeWithLongLine } from "../helpers/long-line.ts";
import { session } from "../helpers/session-builder.ts";
import { Store } from "../indexing/store.ts";

const MB = 1024 * 1024;
const dist = join(import.meta.dirname, "..", "..", "build", "src");

/** Syncs in a process with a small heap; gives the most memory it took, in MB. */
function syncInSmallHeap(store: Store): number {
  const script = `
    import { openIndex } from ${JSON.stringify(join(dist, "store", "open.js"))};
    import { feedSearch } from ${JSON.stringify(join(dist, "search", "feed", "feeder.js"))};
    import { syncAll } from ${JSON.stringify(join(dist, "indexing", "sync-run.js"))};
    const index = openIndex(${JSON.stringify(store.index.location)});
    syncAll(index, [${JSON.stringify(store.root)}]);
    feedSearch(index);
    index.close();
    console.log(process.resourceUsage().maxRSS / 1024);`;
  const options = ["--max-old-space-size=64", "--input-type=module", "--eval", script];
  return Number(execFileSync(process.execPath, options, { encoding: "utf8" }));
}

test("A29: a line of 600 MB has a row and is not decoded; what stands around it is read", () => {
  const store = new Store();
  writeWithLongLine(store.path("a.jsonl"), 600 * MB);
  expect(syncInSmallHeap(store)).toBeLessThan(300);
  const offset = Number(store.column("SELECT offset + length + 1 FROM entries ORDER BY key")[0]);
  expect(store.rows("SELECT line, type, length, preview FROM entries ORDER BY key")).toMatchObject([
    [2, "message", expect.any(Number), "before"],
    [3, "", 600 * MB, ""],
    [4, "message", expect.any(Number), "after"],
  ]);
  expect(store.column("SELECT offset FROM entries WHERE type = ''")).toEqual([offset]);
});

test("A29: a line of 600 MB that begins like an entry has its place in the tree, and answers a call", () => {
  const store = new Store();
  const built = session({ id: "a" }).user("before");
  built.assistant({ toolCalls: [{ id: "call1", name: "read" }] });
  const [asked, answered] = [built.lastId, { role: "toolResult", toolCallId: "call1", toolName: "read" }];
  const head = { type: "message", id: "long0001", parentId: asked, timestamp: "2026-11-20T10:00:00.000Z" };
  built.branchFrom("long0001").user("after");
  const beginning = JSON.stringify({ ...head, message: { ...answered, content: "x" } }).slice(0, -3);
  writeWithLongLine(store.path("a.jsonl"), 600 * MB, { beginning, built });
  expect(syncInSmallHeap(store)).toBeLessThan(300);
  expect(store.rows("SELECT message_count, branch_count, irregular FROM sessions")).toEqual([[4, 1, 1]]);
  expect(store.rows("SELECT entry_id, parent_id, role, tool_name FROM entries WHERE line = 4")).toEqual([
    ["long0001", asked, "toolResult", "read"],
  ]);
  const answers = "SELECT e.line FROM tool_calls c JOIN entries e ON e.key = c.result_key";
  expect(store.column(answers)).toEqual([4]);
});

test("A29: a last line of 600 MB waits for its end", () => {
  const store = new Store();
  const path = session({ id: "a" }).user("before").write(store.path("a.jsonl"));
  const fd = openSync(path, "r+");
  ftruncateSync(fd, 600 * MB);
  closeSync(fd);
  store.sync();
  expect(
    store.rows("SELECT count(*), max(f.malformed_lines) FROM entries e JOIN files f ON f.id = e.file_id"),
  ).toEqual([[1, 0]]);
});

test("A32: a session of many steps takes the memory of one", () => {
  const store = new Store();
  const built = session({ id: "a" });
  const picture = { type: "image" as const, mimeType: "image/png", data: "A".repeat(2 * MB) };
  for (let round = 0; round < 60; round++) built.user([{ type: "text", text: `round ${round}` }, picture]);
  built.write(store.path("a.jsonl"));
  expect(syncInSmallHeap(store)).toBeLessThan(300);
  expect(store.column("SELECT count(*) FROM entries")).toEqual([60]);
});
