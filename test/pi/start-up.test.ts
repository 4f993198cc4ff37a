import { expect, test } from "vitest";
import type { Run } from "../../src/panels/command-line.ts";
import extension from "../../src/pi/extension.ts";
import type { Context, Pi, Tool } from "../../src/pi/host.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { printing } from "./programs.ts";

type Start = (event: { reason: string }, context: Context) => void;

/** A pi that has loaded the extension, and what it was asked to run. A question is answered once it is let through. */
function loaded(options: { flag?: string; knowsExposure?: boolean } = {}) {
  const asked: { words: string[]; signal: AbortSignal | undefined; answer: () => void }[] = [];
  const run: Run = (_command, args, options) =>
    new Promise((resolve) => {
      const answer = () => resolve(printing('{"schemaVersion":1}'));
      asked.push({ words: args.slice(args.indexOf("--json") + 1), signal: options.signal, answer });
    });
  const handlers = new Map<string, (...values: never[]) => void>();
  const names: string[] = [];
  const tools: Tool[] = [];
  const active = new Set<string>();
  const pi: Pi = {
    on: (event: string, handler: (...values: never[]) => void) => handlers.set(event, handler),
    registerCommand: (name) => names.push(name),
    registerTool: (tool) => {
      tools.push(tool);
      active.add(tool.name);
    },
    setSessionName: () => undefined,
    registerFlag: () => undefined,
    getFlag: (name) => options.flag === name,
    getAllTools: () =>
      tools
        .slice(-1)
        .map(({ name, exposure = "direct" }) => ({ name, ...(options.knowsExposure && { exposure }) })),
    getActiveTools: () => [...active],
    setActiveTools: (names) => {
      active.clear();
      for (const name of names) active.add(name);
    },
  };
  extension(pi, run);
  const start = (reason: string, mode: Context["mode"]) =>
    (handlers.get("session_start") as Start)({ reason }, { cwd: "/", mode, hasUI: true, ui: {} } as Context);
  return { asked, names, tools, active, start, end: () => handlers.get("session_shutdown")?.() };
}

test("what pi loads has four commands and a tool, and runs nothing yet", () => {
  const { names, tools, asked } = loaded();
  expect([names, tools.map(({ name }) => name), asked]).toEqual([
    ["search", "sessions", "usage", "page"],
    ["session_search"],
    [],
  ]);
});

test("the tool is declared as one that reads only, so that no gate has to ask for each search", () => {
  expect(loaded().tools[0]?.annotations).toEqual({
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  });
});

test.each([
  ["without the flag", { knowsExposure: true }, [undefined], ["session_search"]],
  ["with it", { flag: "defer-session-search", knowsExposure: true }, [undefined, "deferred"], []],
  [
    "with it in a pi that knows no exposure",
    { flag: "defer-session-search" },
    [undefined, "deferred"],
    ["session_search"],
  ],
])(
  "the tool is left for the model to find where that is asked for: %s",
  (_, options, exposures, declared) => {
    const { tools, active, start } = loaded(options);
    start("startup", "print");
    expect([tools.map(({ exposure }) => exposure), [...active]]).toEqual([exposures, declared]);
  },
);

test("when pi starts on a screen, the index is brought up to date and then looked at", async () => {
  const { asked, start } = loaded();
  start("startup", "tui");
  expect(asked.map(({ words }) => words)).toEqual([["sync"]]);
  asked[0]?.answer();
  await pollUntil(() => asked.length === 2, { what: "a look at the budgets" });
  expect(asked[1]?.words).toEqual(["usage", "statusline", "--no-sync"]);
  asked[1]?.answer();
  await pollUntil(() => asked.length === 3, { what: "a first look" });
  expect(asked[2]?.words).toEqual(["list", "--masked", "--no-sync", "--limit", "100"]);
});

test("another session on a screen is begun with a look at the budgets, and nothing else", () => {
  const { asked, start } = loaded();
  start("resume", "tui");
  expect(asked.map(({ words }) => words)).toEqual([["usage", "statusline", "--no-sync"]]);
});

test.each<[string, Context["mode"]]>([
  ["startup", "print"],
  ["startup", "rpc"],
  ["resume", "rpc"],
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
