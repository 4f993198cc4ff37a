import { expect, test } from "vitest";
import { parseSearchQuery, toMatchExpression } from "../../../src/search/query/search-query.ts";

test("a term that is typed again is looked for once", () => {
  const asked = (query: string) => {
    const parsed = parseSearchQuery(query);
    return parsed === null ? "" : toMatchExpression(parsed);
  };
  expect(asked("get user get user -post -post get*")).toBe('(("get" AND "user" AND "get" *) NOT "post")');
  expect(asked("get get OR get user")).toBe('("get" OR ("get" AND "user"))');
  expect(asked("user ".repeat(30))).toBe('"user"');
  expect(asked("(user OR) OR (AND (user NOT))")).toBe('"user"');
  expect(asked("(user) OR ((user))")).toBe('"user"');
  expect(asked("a (b (c d))")).toBe('("a" AND "b" AND "c" AND "d")');
});
