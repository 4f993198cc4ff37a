import { expect, test } from "vitest";
import { nestedCallsOf } from "../../src/format/nested-calls.ts";

/** The path of a call whose arguments are known by their beginning only. */
function pathOf(beginning: string): string | null | undefined {
  const message = {
    role: "toolResult",
    nestedCalls: { calls: [{ id: "a", name: "read" }] },
    details: { calls: [{ id: "a", name: "read", args: beginning }] },
  };
  return nestedCallsOf({ type: "message", message })[0]?.path;
}

test("a path is taken from the beginning of arguments, if all of it is there", () => {
  expect(pathOf('{"path":"src/a.ts","limit":')).toBe("src/a.ts");
  expect(pathOf('{"limit":1, "path" : "a \\"b\\" \\\\", "text": "x')).toBe('a "b" \\');
  expect(pathOf('{"path":"src/a.t')).toBeNull();
  expect(pathOf('{"path":"src/a.ts\\"')).toBeNull();
});

test("a path of many megabytes does no harm", () => {
  const long = "x".repeat(20_000_000);
  expect(pathOf(`{"path":"${long}`)).toBeNull();
  expect(pathOf(`{"path":"${long}"`)).toHaveLength(long.length);
});
