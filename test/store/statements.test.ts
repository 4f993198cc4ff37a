import { expect, test } from "vitest";
import { openIndex } from "../../src/store/open.ts";
import { prepared } from "../../src/store/statements.ts";
import { indexIn } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a statement is prepared once for each connection, and gives objects however it was used before", () => {
  const index = openIndex(indexIn(tempDir()));
  const sql = "SELECT 1 AS one";
  const first = prepared(index.database, sql);
  expect([first.raw().get(), prepared(index.database, sql).get()]).toEqual([[1], { one: 1 }]);
  expect([prepared(index.database, sql).pluck().get(), prepared(index.database, sql).get()]).toEqual([
    1,
    { one: 1 },
  ]);
  expect(prepared(index.database, sql)).toBe(first);
  expect(prepared(index.search, sql)).not.toBe(first);
  index.close();
});

test("no more than some statements are kept", () => {
  const index = openIndex(indexIn(tempDir()));
  const first = prepared(index.database, "SELECT 0 AS n");
  const all = Array.from({ length: 100 }, (_, n) => prepared(index.database, `SELECT ${n} AS n`).get());
  expect(all[99]).toEqual({ n: 99 });
  expect(prepared(index.database, "SELECT 0 AS n")).not.toBe(first);
  index.close();
});
