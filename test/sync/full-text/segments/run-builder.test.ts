import { describe, expect, test } from "vitest";
import { RunBuilder } from "../../../../src/sync/full-text/segments/run-builder.ts";
import { RunReader } from "../../../../src/sync/full-text/segments/run-reader.ts";
import { theAlphabet } from "../../../helpers/full-text-image.ts";

/** Different words. */
function words(count: number, from = 0): string {
  return Array.from({ length: count }, (_, at) => (from + at).toString(36)).join(" ");
}

/** The words of a run, without the mark before them, and the keys of their first and last entries. */
function readAll(memory: Uint8Array, end: number, firstKey: number): [string, number, number][] {
  const found: [string, number, number][] = [];
  const text = Buffer.from(memory.buffer);
  for (const run = new RunReader(memory, end, firstKey); !run.isOver; run.next()) {
    found.push([text.toString("utf8", run.wordFrom + 1, run.wordTo), run.first, run.last]);
  }
  return found;
}

function finish(builder: RunBuilder): { found: [string, number, number][]; keys: number[]; names: string[] } {
  const memory = new Uint8Array(builder.size);
  const { end, counts, names } = builder.finish(memory);
  const keys = [...counts.keys].map((key) => counts.firstKey + key);
  return { found: readAll(memory, end, counts.firstKey), keys, names };
}

describe("a run", () => {
  test("holds words in order, and in which entries they stand", () => {
    const builder = new RunBuilder(theAlphabet());
    builder.add(7, ["b a", "fooBar"]);
    builder.add(9, ["ab a"]);
    expect(finish(builder)).toEqual({
      found: [
        ["a", 7, 9],
        ["ab", 9, 9],
        ["b", 7, 7],
        ["foobar", 7, 7],
        ["\ue000", 7, 7],
      ],
      keys: [7, 9],
      names: ["fooBar"],
    });
    expect(builder.isEmpty).toBe(true);
  });

  test.each([
    ["more different words than there is room for", words(70_000)],
    ["more words than there is room for", "a ".repeat(600_000)],
    ["more of long words than there is room for", words(200).replaceAll(" ", `${"x".repeat(30_000)} `)],
  ])("takes no text of %s, and goes on without it", (_what, text) => {
    const builder = new RunBuilder(theAlphabet());
    expect([builder.add(1, ["before"]), builder.add(2, [text]), builder.add(3, ["after"])]).toEqual([
      true,
      false,
      true,
    ]);
    expect(finish(builder)).toMatchObject({ keys: [1, 3] });
    expect([builder.add(4, [text]), builder.isEmpty, builder.add(5, [words(40_000)])]).toEqual([
      false,
      true,
      true,
    ]);
    const { found, keys } = finish(builder);
    expect([found.length, keys]).toEqual([40_000, [5]]);
  });

  test("leaves a text that has no room beside others to the next one", () => {
    const builder = new RunBuilder(theAlphabet());
    expect([builder.add(1, [words(40_000)]), builder.add(2, [words(40_000, 30_000)])]).toEqual([true, false]);
    const first = finish(builder);
    expect(builder.add(2, [words(40_000, 30_000)])).toBe(true);
    const second = finish(builder);
    expect([first.found.length, first.keys, second.found.length, second.keys]).toEqual([
      40_000,
      [1],
      40_000,
      [2],
    ]);
  });

  test("ends before a key that is too far from the first one", () => {
    const builder = new RunBuilder(theAlphabet());
    expect([builder.add(1, ["a"]), builder.add(2 ** 31, ["a"])]).toEqual([true, false]);
    expect(finish(builder).found).toEqual([["a", 1, 1]]);
    expect(builder.add(2 ** 31, ["a"])).toBe(true);
    expect(finish(builder).found).toEqual([["a", 2 ** 31, 2 ** 31]]);
  });
});
