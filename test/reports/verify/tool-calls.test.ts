import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/format/json.ts";
import { recordOf } from "../../../src/format/record.ts";
import { ReadCalls } from "../../../src/reports/verify/tool-calls.ts";
import { checkedFiles, Verifier } from "../../../src/reports/verify/verify-sessions.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { session } from "../../helpers/session-builder.ts";
import { withinReason } from "../../helpers/within-reason.ts";
import { indexOfSessions } from "../indexed.ts";

const [ID, TOOL] = [fc.constantFrom("", "1"), fc.constantFrom("bash", "read", "edit")];
const CALLS = fc.array(fc.record({ id: ID, name: TOOL }), { minLength: 1, maxLength: 4 });
const RESULT = fc.record({ toolCallId: ID, toolName: fc.option(TOOL) });

test("calls that share ids are answered by the same results in the file and in the index", () => {
  const drawn = fc.property(
    fc.array(fc.oneof(CALLS, RESULT), { minLength: 10, maxLength: 60 }),
    (entries) => {
      const built = session();
      for (const entry of entries) {
        if (Array.isArray(entry)) built.assistant({ toolCalls: entry });
        else built.toolResult("out", entry);
      }
      const index = indexOfSessions(built);
      const verifier = new Verifier(index);
      for (const file of checkedFiles(index)) verifier.file(file);
      expect(verifier.result.differences).toEqual([]);
      verifier.close();
    },
  );
  fc.assert(drawn, { numRuns: runs(10) });
});

test("of a hundred thousand open calls of one id each is looked at a few times", () => {
  const calls = new ReadCalls();
  const message = (fields: JsonObject) => recordOf({ type: "message", id: "a", message: fields });
  const made = message({ role: "assistant", content: [{ type: "toolCall", id: "", name: "bash" }] });
  const answered = message({ role: "toolResult", toolCallId: "", toolName: "read", content: [] });
  const place = { offset: 0, length: 1, givenId: "a", recovered: false, entry: null };
  withinReason(() => {
    for (let line = 1; line <= 100_000; line++) calls.take({ ...place, line, record: made });
    for (let line = 1; line <= 100_000; line++) calls.take({ ...place, line, record: answered });
  });
});
