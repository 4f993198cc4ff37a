import { expect, test } from "vitest";
import type { OutlineItem } from "../../../src/reports/read-conversation.ts";
import { outlineRanges } from "../../../src/serve/page/reader/outline-ranges.ts";

function items(count: number): OutlineItem[] {
  const rest = { id: null, text: "", timestamp: null, costSoFar: 0, branches: [] };
  return Array.from({ length: count }, (_, at) => ({
    kind: at % 4 === 3 ? "label" : "prompt",
    place: at,
    line: at + 2,
    ...rest,
  }));
}

test("an outline that fits is one part, with its prompts counted", () => {
  const [range, ...more] = outlineRanges(items(400));
  expect(more).toEqual([]);
  expect(range?.slice(0, 5).map(({ number }) => number)).toEqual([1, 2, 3, 3, 4]);
  expect(outlineRanges([])).toEqual([[]]);
});

test("a long one comes in parts that have each line once, in order, and go on counting", () => {
  const all = items(1001);
  const ranges = outlineRanges(all);
  expect(ranges.map(({ length }) => length)).toEqual([200, 200, 200, 200, 200, 1]);
  expect(ranges.flat().map(({ item }) => item)).toEqual(all);
  expect(ranges.at(-1)).toEqual([{ item: all[1000], number: 751 }]);
});
