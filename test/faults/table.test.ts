import { expect, test } from "vitest";
import { readRows, readTests } from "./table.mjs";

const rows = readRows();
const tests = readTests();

test("every fault has a test that is called by its row, or a reason why not", () => {
  const shown = new Set(tests.flatMap((each) => each.rows));
  expect(rows.filter(({ row, remark }) => !shown.has(row) && remark === "").map(({ row }) => row)).toEqual(
    [],
  );
});

test("a row stands in the list once, and no test is called by a row that is not in it", () => {
  const known = new Set(rows.map(({ row }) => row));
  expect(known.size).toBe(rows.length);
  expect(tests.filter((each) => each.rows.some((row) => !known.has(row)))).toEqual([]);
});
