import { expect, test } from "vitest";
import { splitQuery } from "../../../src/search/query/qualifiers.ts";

test.each([
  ["parser error", "parser error", {}],
  ["role:user parser since:7d", "parser", { role: "user", since: "7d" }],
  ['project:"/home/ada/my work" x', "x", { project: "/home/ada/my work" }],
  ['project:/home/"my work"/a', "", { project: '/home/"my work"/a' }],
  ["named:yes here:no", "", { named: true, here: false }],
  ['"type:number" std::vector http://x', '"type:number" std::vector http://x', {}],
  ['-"a phrase" pre* this OR that', '-"a phrase" pre* this OR that', {}],
  ["since:2026-11-03T10:00:00Z", "", { since: "2026-11-03T10:00:00Z" }],
  ["role: user", "role: user", {}],
  ['"unclosed role:user', '"unclosed role:user', {}],
  ['-"role:user" --role:user', '-"role:user" --role:user', {}],
])("of %j is looked for %j with %j", (query, words, conditions) => {
  expect(splitQuery(query)).toEqual({ words, conditions, without: [] });
});

test("what begins with a dash is left out, each by itself", () => {
  expect(
    splitQuery('-tool:bash parser role:user -project:"/my work" -named:yes -tool:read -other:x'),
  ).toEqual({
    words: "parser -other:x",
    conditions: { role: "user" },
    without: [{ tool: "bash" }, { project: "/my work" }, { named: true }, { tool: "read" }],
  });
});

test("what stands behind NOT is left out, too", () => {
  expect(splitQuery("parser NOT role:user NOT -tool:bash NOT this")).toEqual({
    words: "parser NOT this",
    conditions: { tool: "bash" },
    without: [{ role: "user" }],
  });
});

test.each([
  "(parser role:user)",
  "(role:user)",
  "-(x OR tool:bash)",
  "parser OR role:user",
  "role:user OR parser",
])("a condition counts for the whole query, and must not seem to count for a part: %s", (query) => {
  expect(() => splitQuery(query)).toThrowError(expect.objectContaining({ code: "usage" }));
});

test("parentheses of text are none of a group", () => {
  expect(splitQuery('f(x role:user "(a" (b) c:d)')).toMatchObject({ conditions: { role: "user" } });
});

test("whether sessions are named, or here, is yes or no", () => {
  expect(splitQuery("named:NO here:1").conditions).toEqual({ named: false, here: true });
  for (const query of ["named:maybe", "-here:foo"]) {
    expect(() => splitQuery(query)).toThrowError(expect.objectContaining({ code: "usage" }));
  }
  expect(splitQuery('"named:maybe"').words).toBe('"named:maybe"');
});
