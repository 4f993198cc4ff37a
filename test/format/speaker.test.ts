import { expect, test } from "vitest";
import { speakerOf } from "../../src/format/speaker.ts";

test.each([
  ["user", "message", null, "user"],
  ["toolResult", "message", "bash", "result of bash"],
  ["toolResult", "message", null, "result"],
  ["bashExecution", "message", null, "you ran"],
  [null, "branch_summary", null, "summary of a branch"],
  [null, "compaction", null, "compaction"],
  ["__proto__", "message", null, "__proto__"],
])("who speaks is called as people do: %s, %s, %s", (role, type, tool, called) => {
  expect(speakerOf({ role, type, tool })).toBe(called);
});
