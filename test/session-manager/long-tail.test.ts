import { join } from "node:path";
import { expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import type { IndexedTree } from "../../src/session/indexed-tree.ts";
import { openIndexed } from "../../src/session/open-indexed.ts";
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
