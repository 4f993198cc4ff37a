import { expect, test } from "vitest";
import type { Run } from "../../src/pi/command-line.ts";
import extension from "../../src/pi/extension.ts";
import type { Context, Pi } from "../../src/pi/host.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { printing } from "./programs.ts";

type Start = (event: { reason: string }, context: Context) => void;

/** A pi that has loaded the extension, and what it was asked to run. A question is answered once it is let through. */
function loaded() {
  const asked: { words: string[]; signal: AbortSignal | undefined; answer: () => void }[] = [];
  const run: Run = (_command, args, options) =>
    new Promise((resolve) => {
      const answer = () => resolve(printing('{"schemaVersion":1}'));
      asked.push({ words: args.slice(args.indexOf("--json") + 1), signal: options.signal, answer });
    });
  const handlers = new Map<string, (...values: never[]) => void>();
  const names: string[] = [];
  const pi: Pi = {
    on: (event: string, handler: (...values: never[]) => void) => handlers.set(event, handler),
    registerCommand: (name) => names.push(name),
    registerTool: ({ name }) => names.push(name),
  };
  extension(pi, run);
  const start = (reason: string, mode: Context["mode"]) =>
    (handlers.get("session_start") as Start)({ reason }, { cwd: "/", mode, hasUI: true } as Context);
  return { asked, names, start, end: () => handlers.get("session_shutdown")?.() };
}

test("what pi loads has three commands and a tool, and runs nothing yet", () => {
  const { names, asked } = loaded();
  expect([names, asked]).toEqual([["search", "sessions", "usage", "session_search"], []]);
});

test("when pi starts on a screen, the index is brought up to date and then looked at", async () => {
  const { asked, start } = loaded();
  start("startup", "tui");
  expect(asked.map(({ words }) => words)).toEqual([["sync"]]);
  asked[0]?.answer();
  await pollUntil(() => asked.length === 2, { what: "a first look" });
  expect(asked[1]?.words).toEqual(["list", "--masked", "--no-sync", "--limit", "100"]);
});

test.each<[string, Context["mode"]]>([
  ["startup", "print"],
  ["startup", "rpc"],
  ["resume", "tui"],
])("nothing is run at a %s in %s mode", (reason, mode) => {
  const { asked, start } = loaded();
  start(reason, mode);
  expect(asked).toEqual([]);
});

test("when pi ends, so does what it has begun, and nothing else is begun", async () => {
  const { asked, start, end } = loaded();
  start("startup", "tui");
  end();
  expect(asked[0]?.signal?.aborted).toBe(true);
  asked[0]?.answer();
  await new Promise(setImmediate);
  expect(asked.length).toBe(1);
});
