import { expect, test } from "vitest";
import { splitQuery } from "../../../src/query/search/filter-words.ts";

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
  ["-role:user", "-role:user", {}],
])("of %j is looked for %j with %j", (query, words, conditions) => {
  expect(splitQuery(query)).toEqual({ words, conditions });
});
