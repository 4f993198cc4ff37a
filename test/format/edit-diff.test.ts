import { expect, test } from "vitest";
import { editOf } from "../../src/format/edit-diff.ts";

const LINES = Array.from({ length: 9 }, (_, at) => `line ${at}`);

test("an edit is shown as what it takes away and puts there, with two lines around", () => {
  const changed = LINES.with(4, "changed");
  const edit = editOf({ path: "a.ts", oldText: LINES.join("\n"), newText: `${changed.join("\n")}\n` });
  expect(edit).toEqual({
    args: { path: "a.ts" },
    diff: " line 2\n line 3\n-line 4\n+changed\n line 5\n line 6",
  });
});

test("several edits, and changes far from each other, are told apart", () => {
  const far = LINES.with(0, "x").with(8, "y").join("\n");
  const one = editOf({ path: "a.ts", edits: [{ oldText: LINES.join("\n"), newText: far }] });
  expect(one?.diff).toBe("-line 0\n+x\n line 1\n line 2\n…\n line 6\n line 7\n-line 8\n+y");
  const two = editOf({
    path: "a.ts",
    all: true,
    edits: [
      { oldText: "a", newText: "b" },
      { oldText: "c", newText: "" },
    ],
  });
  expect(two).toEqual({ args: { path: "a.ts", all: true }, diff: "-a\n+b\n…\n-c" });
});

test.each<[string, Parameters<typeof editOf>[0]]>([
  ["another call", { path: "a.ts" }],
  ["no arguments", null],
  ["no edits", { path: "a.ts", edits: [] }],
  ["edits of another form", { path: "a.ts", edits: [{ oldText: "a", newText: "b" }, "c"] }],
  ["more than anybody reads", { oldText: "a\n".repeat(2000), newText: "b\n".repeat(2000) }],
])("there is none for %s", (_, args) => {
  expect(editOf(args)).toBeNull();
});
