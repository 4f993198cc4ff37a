import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { activeSessions } from "../../src/reports/active-sessions.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf } from "./indexed.ts";

const NOW = "2026-11-20T12:00:00Z";
const SINCE = Date.parse("2026-11-20T11:45:00Z");
const call = { toolCalls: [{ name: "bash", arguments: { command: "ls" } }] };

function at(id: string) {
  return session({ id, cwd: "/p", timestamp: NOW });
}

describe("sessions that are being written", () => {
  test.each([
    ["a question was asked", at("s").user("hi"), "model", null],
    [
      "a tool runs",
      at("s")
        .user("hi")
        .assistant({ ...call, stopReason: "toolUse" }),
      "tool",
      "bash",
    ],
    ["a tool has answered", at("s").user("hi").assistant(call).toolResult("done"), "model", "bash"],
    ["the model has answered", at("s").user("hi").assistant({ stopReason: "stop" }), "you", null],
    ["it has failed", at("s").user("hi").assistant({ stopReason: "error" }), "nobody", null],
    [
      "it was broken off",
      at("s")
        .user("hi")
        .assistant({ ...call, stopReason: "aborted" }),
      "nobody",
      "bash",
    ],
    ["nothing was said yet", at("s").name("begun"), "you", null],
  ])("wait for whom it is to go on: %s", (_when, built, waitsFor, tool) => {
    const root = tempDir();
    built.writeBelow(root);
    expect(activeSessions(indexOf(root), { since: 0 })).toMatchObject([{ id: "s", waitsFor, tool }]);
  });

  test("are those of the last minutes, sub-agents below their parents, with what each has spent itself", () => {
    const root = tempDir();
    const usage = (total: number) => ({ input: 10, totalTokens: 10, cost: { total } });
    const old = session({ id: "old", timestamp: "2026-11-19T12:00:00Z" }).user("x");
    old.writeBelow(root);
    const parent = at("parent")
      .user("ask the scout")
      .assistant({ usage: usage(0.5) });
    const path = parent.writeBelow(root);
    const folder = path.replace(/\.jsonl$/, "");
    session({ id: "child", cwd: "/p", timestamp: "2026-11-20T12:00:30Z" })
      .user("scout")
      .assistant({ usage: usage(0.25) })
      .write(join(folder, "scout/run-0/session.jsonl"));
    const fork = parent.fork({ id: "fork", timestamp: "2026-11-20T12:01:00Z" });
    fork
      .at("2026-11-20T12:01:01Z")
      .assistant({ usage: usage(0.125) })
      .writeBelow(root);
    const found = activeSessions(indexOf(root), { since: SINCE });
    expect(found.map(({ id, cost, rootPath }) => [id, cost, rootPath === path])).toEqual([
      ["fork", 0.125, false],
      ["parent", 0.5, true],
      ["child", 0.25, true],
    ]);
    expect(found.map(({ agent }) => agent)).toEqual([null, null, expect.any(String)]);
  });
});
