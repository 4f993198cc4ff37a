import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LONGEST_LINE } from "../../../src/files/lines.ts";
import { resolveSession } from "../../../src/filters/resolve-session.ts";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { checkedFiles, Verifier } from "../../../src/reports/verify/verify-sessions.ts";
import { feedSearch } from "../../../src/search/feed/feeder.ts";
import { searchEntries } from "../../../src/search/search.ts";
import { readBody, readEntry } from "../../../src/store/tables/entry-bodies.ts";
import { readSessionNodes } from "../../../src/store/tables/entry-nodes.ts";
import { withIndex } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** A session whose one entry is a line of so many bytes. */
function writeLineOf(bytes: number, ending: string): string {
  const root = tempDir();
  const [header = "", entry = ""] = session({ id: "a" }).user("plum").lines();
  const line = Buffer.alloc(bytes, " ");
  line.write(entry.slice(0, -1));
  line.write("}", bytes - 1);
  writeFileSync(`${root}/a.jsonl`, Buffer.concat([Buffer.from(`${header}\n`), line, Buffer.from(ending)]));
  return root;
}

/** Whether each of those who read lines has understood the entry. */
function understoodBy(root: string): Record<string, boolean> {
  return withIndex(tempDir(), (index) => {
    syncAll(index, [root]);
    feedSearch(index);
    const node = readSessionNodes(index, resolveSession(index, "a")).all[0];
    if (node === undefined) return {};
    const verifier = new Verifier(index);
    for (const file of checkedFiles(index, [root])) verifier.file(file);
    verifier.close();
    return {
      sync: index.database.prepare("SELECT text FROM messages").pluck().get() === "plum",
      feed: searchEntries(index, "plum").total === 1,
      scan: searchEntries(index, "lum", { substring: true }).total === 1,
      body: readBody(node) !== null,
      entry: readEntry(node) !== null,
      verify: verifier.result.differences.length === 0,
    };
  });
}

test("A29: all agree on the longest line that is read", () => {
  const all = { sync: true, feed: true, scan: true, body: true, entry: true, verify: true };
  expect(understoodBy(writeLineOf(LONGEST_LINE, "\r\n"))).toEqual(all);
});

test("A29: all agree that one a byte longer is too long", () => {
  const none = { sync: false, feed: false, scan: false, body: false, entry: false, verify: true };
  expect(understoodBy(writeLineOf(LONGEST_LINE + 1, "\n"))).toEqual(none);
});
