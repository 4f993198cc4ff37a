import { expect, test } from "vitest";
import type { Filter } from "../../src/query/filter.ts";
import { unmetIn } from "../../src/query/unmet.ts";
import { session } from "../helpers/session-builder.ts";
import { indexOfSessions } from "./indexed.ts";

const index = () => {
  const built = session({ id: "a", cwd: "/work/b" })
    .user("x", { id: "x" })
    .assistant({ model: "Gpt-5", provider: "openai", toolCalls: [{ name: "read" }] })
    .toolResult("y", { toolName: "bash" })
    .label("x", "To Do");
  return indexOfSessions(
    built,
    session({ id: "b", cwd: "/work/a" }).assistant({ model: "claude", provider: "p" }),
  );
};

test.each<Filter>([
  { model: "gPT", provider: "openai" },
  { role: "user", type: "label" },
  { tool: "read" },
  { tool: "bash" },
  { label: "TO do" },
  { project: "/work" },
  { project: "/work/b", named: true, has: "image" },
  {},
])("every condition of %j is met by something", (filter) => {
  expect(unmetIn(index(), filter)).toEqual([]);
});

test("what nothing meets is told, with all there is, in order", () => {
  const filter = {
    project: "/wor",
    model: "gpt5",
    provider: "Openai",
    role: "User",
    type: "x",
    tool: "bas",
    label: "do",
  };
  expect(unmetIn(index(), filter).map(({ key, asked, known }) => [key, asked, known])).toEqual([
    ["project", "/wor", ["/work/a", "/work/b"]],
    ["model", "gpt5", ["Gpt-5", "claude"]],
    ["provider", "Openai", ["openai", "p"]],
    ["role", "User", ["assistant", "toolResult", "user"]],
    ["type", "x", ["label", "message"]],
    ["tool", "bas", ["bash", "read"]],
    ["label", "do", ["To Do"]],
  ]);
});
