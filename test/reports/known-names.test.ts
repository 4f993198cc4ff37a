import { expect, test } from "vitest";
import type { Filter } from "../../src/filters/filter.ts";
import { namesInUse, unmatchedIn } from "../../src/reports/known-names.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "./indexed.ts";

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
  expect(unmatchedIn(index(), { filter })).toEqual([]);
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
  expect(unmatchedIn(index(), { filter }).map(({ key, asked, known }) => [key, asked, known])).toEqual([
    ["project", "/wor", ["/work/a", "/work/b"]],
    ["model", "gpt5", ["Gpt-5", "claude"]],
    ["provider", "Openai", ["openai", "p"]],
    ["role", "User", ["assistant", "toolResult", "user"]],
    ["type", "x", ["label", "message"]],
    ["tool", "bas", ["bash", "read"]],
    ["label", "do", ["To Do"]],
  ]);
});

test("what stands in folders that are not asked about meets no condition, and is not named", () => {
  const [root, other] = [tempDir(), tempDir()];
  session({ id: "a", cwd: "/work/a" }).user("x", { id: "x" }).label("x", "mine").writeBelow(root);
  session({ id: "b", cwd: "/secret" })
    .user("x", { id: "x" })
    .assistant({ model: "m", provider: "p", toolCalls: [{ name: "bash" }] })
    .label("x", "theirs")
    .writeBelow(other);
  const index = indexOf(root, other);
  const filter = { project: "/secret", model: "m", role: "assistant", tool: "bash", label: "theirs" };
  expect(unmatchedIn(index, { filter, roots: [root, other] })).toEqual([]);
  expect(unmatchedIn(index, { filter, roots: [root] })).toEqual([
    { key: "project", asked: "/secret", known: ["/work/a"] },
    { key: "model", asked: "m", known: [] },
    { key: "role", asked: "assistant", known: ["user"] },
    { key: "tool", asked: "bash", known: [] },
    { key: "label", asked: "theirs", known: ["mine"] },
  ]);
  const kinds = ["models", "providers", "tools", "labels"] as const;
  expect(kinds.map((kind) => namesInUse(index, kind, [root]))).toEqual([[], [], [], ["mine"]]);
  expect(kinds.map((kind) => namesInUse(index, kind, [root, other]))).toEqual([
    ["m"],
    ["p"],
    ["bash"],
    ["mine", "theirs"],
  ]);
});
