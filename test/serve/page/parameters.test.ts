import { expect, test } from "vitest";
import { addressedAs, namesIn, parametersOf, valuesFor } from "../../../src/serve/page/sql/parameters.ts";

test.each([
  ["SELECT :from, :to, :from", ["from", "to"]],
  ["SELECT ':no', \":neither\", 'it''s :not' -- nor :this\n, :yes /* :nor\n:these */", ["yes"]],
  ["SELECT 'open :no", ["no"]],
  ["SELECT 1", []],
])("the values that %j wants", (sql, names) => {
  expect(namesIn(sql)).toEqual(names);
});

test("what is typed goes before what the address says", () => {
  const query = { q: "", ":a": "1", ":b": "2" };
  expect(valuesFor(["a", "b", "c"], { query, typed: { b: "3" } })).toEqual({ a: "1", b: "3", c: "" });
  expect(addressedAs("SELECT :a", { a: "1" })).toEqual({ q: "SELECT :a", ":a": "1" });
});

test("plain numbers are numbers, what may be an id is a text", () => {
  const values = { a: "12", b: "-0.5", c: "007", d: "1e5", e: "9007199254740993", f: "" };
  expect(parametersOf(values)).toEqual({ ...values, a: 12, b: -0.5 });
});
