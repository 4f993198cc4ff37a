import { expect, test } from "vitest";
import { parseSearchQuery, toMatchExpression } from "../../../src/search/query/search-query.ts";

test("a term that is typed again is looked for once", () => {
  const terms = (query: string) => parseSearchQuery(query).map((each) => each.map(({ text }) => text));
  expect(terms("get user get user -post -post get*")).toEqual([["get", "user", "post", "get"]]);
  expect(terms("get get OR get user")).toEqual([["get"], ["get", "user"]]);
  expect(toMatchExpression(parseSearchQuery("user ".repeat(30)))).toBe('(("user"))');
});
