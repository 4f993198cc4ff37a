import { constants } from "node:buffer";
import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { getHeapStatistics } from "node:v8";
import { describe, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import type { IndexedTree } from "../../src/session/indexed-tree.ts";
import { openIndexed } from "../../src/session/open-indexed.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { withIndex } from "../helpers/open-index.ts";
import { questionsIn } from "../helpers/questions.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Opens a session of which the index knows the first entry alone; `after` others have come since. */
function withTail<T>(after: number, use: (open: () => IndexedTree) => T): T {
  const root = tempDir();
  const path = join(root, "sessions", "session.jsonl");
  const built = session().user("one", { id: "a" });
  built.write(path);
  return withIndex(join(root, "index"), (index) => {
    syncAll(index, [join(root, "sessions")], { now: () => Date.now() + 60_000 });
    for (let at = 0; at < after; at++) built.label("a", `label ${at}`, { id: `e${at}` });
    built.write(path);
    const open = () => {
      const tree = openIndexed(path, index)?.tree;
      if (tree === undefined) throw new Error("it is not read through the index");
      return tree;
    };
    return use(open);
  });
}

test("opening asks the index no more often where much was appended since", () => {
  const [few, many] = [2, 500].map((after) => withTail(after, (open) => questionsIn(open)));
  expect(few).toBeGreaterThan(0);
  expect(many).toBe(few);
});

test("asking each entry for its label looks at what was appended no more than once each", () => {
  withTail(500, (open) => {
    const tree = open();
    const entries = tree.branch("e499");
    let looks = 0;
    for (const entry of entries) {
      const { type } = entry;
      const get = () => {
        looks++;
        return type;
      };
      Object.defineProperty(entry, "type", { get });
    }
    expect(entries.map(({ id }) => tree.label(id)?.label).filter(Boolean)).toEqual(["label 499"]);
    expect(looks).toBeLessThan(2 * entries.length);
  });
});

describe("G14: what is too long for a text of JavaScript, or for the memory of the process", () => {
  /** A file with a hole in it, which takes no room on the disk. */
  function withHole(before: string, bytes: number, after: string, name = "long.jsonl"): string {
    const path = join(tempDir(), name);
    writeFileSync(path, before);
    truncateSync(path, before.length + bytes);
    appendFileSync(path, after);
    return path;
  }
  const lines = `${session().user("pear").lines().join("\n")}\n`;
  const MOST = constants.MAX_STRING_LENGTH;

  test.each([
    [
      "a line",
      () => withHole(`${lines}{"type":"custom","id":"x","data":"`, MOST, `"}\n`),
      `at byte ${lines.length}`,
    ],
    ["the last line", () => withHole(`${lines}{"type":`, MOST, ""), `at byte ${lines.length}`],
    ["an array", () => withHole("[", MOST, "]", "long.json"), "too long"],
    ["a file", () => withHole(lines, getHeapStatistics().heap_size_limit, ""), "memory"],
  ])("%s is refused with an error that names it, and is no end of a list", async (what, write, said) => {
    const path = write();
    expect(() => SessionManager.open(path)).toThrow(
      expect.objectContaining({ code: "io", message: expect.stringContaining(said) }),
    );
    // To look for the end of a line through gigabytes takes a minute.
    if (what !== "a file") expect(await SessionManager.list("/", dirname(path))).toEqual(expect.any(Array));
  });
});
