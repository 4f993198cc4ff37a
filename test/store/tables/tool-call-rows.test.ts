import { expect, test, vi } from "vitest";
import { type OpenCall, OpenCalls, ToolCallTable } from "../../../src/store/tables/tool-call-rows.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { session } from "../../helpers/session-builder.ts";
import { Store } from "../../indexing/store.ts";

const [ID, TOOL] = [fc.constantFrom("", "1"), fc.constantFrom("bash", "read", "edit")];
const CALLS = fc.array(fc.record({ id: ID, name: TOOL }), { minLength: 1, maxLength: 4 });
const RESULT = fc.record({ toolCallId: ID, toolName: fc.option(TOOL) });
const STEP = fc.record({ entry: fc.oneof(CALLS, RESULT), isSynced: fc.boolean() });

test("which call a result answers does not depend on when they are read", () => {
  const drawn = fc.property(fc.array(STEP, { minLength: 10, maxLength: 40 }), (steps) => {
    const store = new Store();
    const built = session();
    for (const { entry, isSynced } of steps) {
      if (Array.isArray(entry)) built.assistant({ toolCalls: entry });
      else built.toolResult("out", entry);
      built.write(store.path("a.jsonl"));
      if (isSynced) store.sync();
    }
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
    store.close();
  });
  fc.assert(drawn, { numRuns: runs(4) });
});

test("a call that a tool has made is answered by no result that comes later", () => {
  const store = new Store();
  const calls = [{ id: "", name: "bash", status: "running" }];
  const built = session().assistant({ toolCalls: ["codemode", "bash"].map((name) => ({ id: "", name })) });
  built.toolResult("script", { toolName: "codemode", nestedCalls: { calls, complete: false } });
  for (const toolName of ["bash", "bash"]) {
    built.write(store.path("a.jsonl"));
    store.sync();
    built.toolResult("out", { toolName });
  }
  store.feed();
  expect(store.rows("SELECT result_key IS NOT NULL FROM tool_calls ORDER BY key")).toEqual([[1], [1], [0]]);
});

interface CountedCalls {
  open: OpenCalls<OpenCall>;
  /** How often somebody has asked a call whether it has been answered. */
  asked(): number;
}

/** Calls of `bash` with one id, each by a message of its own. */
function countedCalls(count: number): CountedCalls {
  const open = new OpenCalls<OpenCall>();
  let asked = 0;
  for (let made = 0; made < count; made++) {
    let answer: unknown = null;
    open.add({
      place: {},
      attributes: { callId: "", name: "bash" },
      get result() {
        asked++;
        return answer;
      },
      set result(given) {
        answer = given;
      },
    });
  }
  return { open, asked: () => asked };
}

test.each([["bash"], [null]])(
  "of calls of one id each is looked at twice at most, by results of %j",
  (tool) => {
    const { open, asked } = countedCalls(500);
    for (let result = 0; result < 500; result++) {
      expect(open.answeredBy("", "read")).toBeUndefined();
      const call = open.answeredBy("", tool);
      if (call) call.result = {};
    }
    expect([open.answeredBy("", tool), asked()]).toEqual([undefined, 1000]);
  },
);

test("an open call is found in an SQL index, with no look at others of its id", () => {
  const { database } = new Store().index;
  const prepare = vi.spyOn(database, "prepare");
  new ToolCallTable(database);
  const queries = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith("SELECT"));
  prepare.mockRestore();
  const plans = queries.map((sql) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all({ fileId: 1, callId: "", tool: null });
    return (steps as { detail: string }[])
      .map(({ detail }) => detail)
      .filter((detail) => /tool_calls|\bt\b|TEMP/.test(detail));
  });
  const ofAny = "INDEX tool_calls_open_of_any_tool (file_id=? AND call_id=?";
  const ofTool = "INDEX tool_calls_open (file_id=? AND call_id=? AND name=?";
  expect(plans).toEqual(
    [ofTool, ofAny].map((index) => [
      `SEARCH t USING ${index} AND call_key=?)`,
      `SEARCH tool_calls USING ${index})`,
    ]),
  );
});
