import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Filter } from "../../src/filters/filter.ts";
import { readFilter } from "../../src/filters/filter-words.ts";
import { ofEntry, whereClause } from "../../src/filters/where.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { searchEntries } from "../../src/search/search.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { indexOfSessions } from "./indexed.ts";

const root = sharedTempDir();
const indexFolder = sharedTempDir();
let index: Index;

/** Every entry says "word"; each session is the only one, or one of few, that a filter lets through. */
function writeSessions(): void {
  const on = (day: string) => `2026-03-${day}T12:00:00.000Z`;
  const sonnet = session({ id: "sonnet", cwd: "/home/ada/orchard", timestamp: on("01") });
  sonnet.user("word").assistant({ text: "word" }).name("word named");
  const gpt = session({ id: "gpt", cwd: "/home/ada/orchard/sensors", timestamp: on("02") });
  gpt.user("word").assistant({ text: "word", provider: "openai", model: "GPT-5.5-Codex" });
  const tools = session({ id: "tools", cwd: "/home/ada/orchards", timestamp: on("03") });
  tools.user("word").assistant({ text: "word", toolCalls: [{ name: "bash", arguments: { command: "x" } }] });
  tools.toolResult("word", { isError: true, usage: { input: 1, totalTokens: 1 } });
  const branches = session({ id: "branches", cwd: "/home/ada/100%_sure", timestamp: on("04") });
  branches.user("word");
  const first = branches.lastId;
  branches.assistant({ text: "word" }).branchFrom(first).assistant({ text: "word" });
  branches.label(first ?? "", "Äpfel");
  const compacted = session({ id: "compacted", cwd: "/home/ada/it's", timestamp: on("05") });
  compacted.user([
    { type: "text", text: "word" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
  ]);
  compacted
    .compaction("word", { usage: { input: 2, totalTokens: 2 } })
    .assistant({ text: "word", stopReason: "error" });
  const fork = sonnet.fork({
    id: "fork",
    cwd: "/home/ada/fork",
    timestamp: on("06"),
    parentSession: "/p.jsonl",
  });
  for (const each of [sonnet, gpt, tools, branches, compacted]) each.writeBelow(root);
  fork.at(on("07")).user("word").assistant({ text: "word" }).writeBelow(root);
  session({ id: "agent", cwd: "/home/ada/fork", timestamp: on("08") })
    .user("word")
    .assistant({ text: "word" })
    .write(join(root, "s", "0f", "run-1", "session.jsonl"));
}

beforeAll(() => {
  writeSessions();
  index = openIndex(indexIn(indexFolder));
  syncAll(index, [root]);
  feedSearch(index);
});
afterAll(() => index.close());

const DAY = 24 * 60 * 60 * 1000;
const noon = (day: number) => Date.parse("2026-03-01T12:00:00.000Z") + (day - 1) * DAY;

/** Ids in order. */
function sessionsListed(filter: Filter): string[] {
  return listSessions(index, { filter, sort: { key: "created", descending: false } }).sessions.map(
    ({ id }) => id,
  );
}

/** Sessions with a hit or a copy of one, and the number of both in each. */
function sessionsFound(filter: Filter): Record<string, number> {
  const found: Record<string, number> = {};
  const { hits } = searchEntries(index, "word", { filter, limit: 0 });
  for (const { session: hit } of hits.flatMap((each) => [each, ...each.copies])) {
    found[hit.id] = (found[hit.id] ?? 0) + 1;
  }
  return found;
}

/** Sessions with counted usage, and how many requests. */
function sessionsSummed(filter: Filter): Record<string, number> {
  const { rows } = sumUsage(index, { by: "session", timezone: "UTC", filter });
  return Object.fromEntries(rows.map(({ key, requests }) => [key, requests]));
}

const all = ["sonnet", "gpt", "tools", "branches", "compacted", "fork", "agent"];

const cases: [string, Filter, string[], Record<string, number>, Record<string, number>][] = [
  [
    "none",
    {},
    all,
    { sonnet: 3, gpt: 2, tools: 3, branches: 3, compacted: 3, fork: 5, agent: 2 },
    { sonnet: 1, gpt: 1, tools: 2, branches: 2, compacted: 2, fork: 1, agent: 1 },
  ],
  [
    "a project and what lies below it",
    { project: "/home/ada/orchard" },
    ["sonnet", "gpt"],
    { sonnet: 3, gpt: 2 },
    { sonnet: 1, gpt: 1 },
  ],
  [
    "a project named with a separator at its end",
    { project: "/home/ada/orchard/" },
    ["sonnet", "gpt"],
    { sonnet: 3, gpt: 2 },
    { sonnet: 1, gpt: 1 },
  ],
  [
    "a project with characters that mean something to LIKE",
    { project: "/home/ada/100%_sure" },
    ["branches"],
    { branches: 3 },
    { branches: 2 },
  ],
  [
    "a project with a quote",
    { project: "/home/ada/it's" },
    ["compacted"],
    { compacted: 3 },
    { compacted: 2 },
  ],
  ["a project nobody has", { project: "/home/ada/orch" }, [], {}, {}],
  ["a part of a model's name in any case", { model: "gpt-5" }, ["gpt"], { gpt: 1 }, { gpt: 1 }],
  ["a model nobody used", { model: "%" }, [], {}, {}],
  ["a provider", { provider: "openai" }, ["gpt"], { gpt: 1 }, { gpt: 1 }],
  ["a part of a provider's name", { provider: "open" }, [], {}, {}],
  ["a role", { role: "toolResult" }, ["tools"], { tools: 1 }, { tools: 1 }],
  ["a type", { type: "compaction" }, ["compacted"], { compacted: 1 }, { compacted: 1 }],
  ["a tool, called or answered", { tool: "bash" }, ["tools"], { tools: 2 }, { tools: 2 }],
  ["a label in any case", { label: "äpfel" }, ["branches"], { branches: 1 }, {}],
  ["a label as it is written", { label: "Äpfel" }, ["branches"], { branches: 1 }, {}],
  ["a name", { named: true }, ["sonnet", "fork"], { sonnet: 3, fork: 5 }, { sonnet: 1, fork: 1 }],
  ["no name", { named: false, project: "/home/ada/orchard" }, ["gpt"], { gpt: 2 }, { gpt: 1 }],
  [
    "an error",
    { has: "error" },
    ["tools", "compacted"],
    { tools: 1, compacted: 1 },
    { tools: 1, compacted: 1 },
  ],
  ["an image", { has: "image" }, ["compacted"], { compacted: 1 }, {}],
  ["a compaction", { has: "compaction" }, ["compacted"], { compacted: 1 }, { compacted: 1 }],
  ["a branch", { has: "branch" }, ["branches"], { branches: 3 }, { branches: 2 }],
  ["a session", { session: "fork" }, ["fork"], { fork: 5 }, { fork: 1 }],
  ["the beginning of a session's id", { session: "gp" }, ["gpt"], { gpt: 2 }, { gpt: 1 }],
  ["a session nobody has", { session: "%" }, [], {}, {}],
  ["a fork", { origin: "fork" }, ["fork"], { fork: 5 }, { fork: 1 }],
  ["a sub-agent", { origin: "subagent" }, ["agent"], { agent: 2 }, { agent: 1 }],
  [
    "two conditions",
    { role: "assistant", project: "/home/ada/orchard/sensors" },
    ["gpt"],
    { gpt: 1 },
    { gpt: 1 },
  ],
  ["two conditions no entry meets", { role: "user", provider: "openai" }, [], {}, {}],
  ["a label and a role no entry has", { label: "äpfel", role: "assistant" }, [], {}, {}],
  ["a model and an error of another", { model: "codex", has: "error" }, [], {}, {}],
  [
    "a time from which on",
    { since: noon(7) },
    ["fork", "agent"],
    { fork: 2, agent: 2 },
    { fork: 1, agent: 1 },
  ],
  ["a time before which", { until: noon(2) }, ["sonnet", "fork"], { sonnet: 3, fork: 3 }, { sonnet: 1 }],
  ["two times", { since: noon(2), until: noon(3) }, ["gpt"], { gpt: 2 }, { gpt: 1 }],
];

describe("sessions listed", () => {
  test.each(cases)("with the filter: %s", (_name, filter, expected) => {
    expect(sessionsListed(filter)).toEqual(expected);
  });
});

describe("entries found", () => {
  test.each(cases)("with the filter: %s", (_name, filter, _listed, expected) => {
    expect(sessionsFound(filter)).toEqual(expected);
  });
});

describe("usage summed", () => {
  test.each(cases)("with the filter: %s", (_name, filter, _listed, _found, expected) => {
    expect(sessionsSummed(filter)).toEqual(expected);
  });
});

describe("times are told to the millisecond", () => {
  const assistantAt = noon(2) + 2000;
  test.each<[string, Filter, number]>([
    ["from its own moment", { since: assistantAt, until: assistantAt + 1 }, 1],
    ["not after it", { since: assistantAt + 1, until: noon(3) }, 0],
    ["not up to it", { since: noon(2), until: assistantAt }, 0],
  ])("a request is counted %s", (_name, filter, requests) => {
    expect(sumUsage(index, { by: "daily", timezone: "UTC", filter }).totals.requests).toBe(requests);
  });

  test("a session is of the moments of its entries, and of that in which somebody last said something in it", () => {
    const saidAt = assistantAt - 7;
    const from = (since: number, until: number) => sessionsListed({ since, until });
    expect([
      from(saidAt, saidAt + 1),
      from(saidAt + 1, assistantAt),
      from(assistantAt, assistantAt + 1),
      from(assistantAt + 1, noon(3)),
    ]).toEqual([["gpt"], [], ["gpt"], []]);
  });

  test("a time and what else is said of entries are met by one of them", () => {
    const half = { since: noon(6), until: noon(7) + 1000 };
    const [user, assistant] = (["user", "assistant"] as const).map((role) =>
      sessionsListed({ role, ...half }),
    );
    expect([user, assistant]).toEqual([["fork"], []]);
  });
});

test("whether an entry calls a tool is looked up, however many calls its session makes", () => {
  const { sql, values } = whereClause(ofEntry({ tool: "bash" }));
  const plan = index.database.prepare(`EXPLAIN QUERY PLAN SELECT 1 FROM entries e ${sql}`).all(...values);
  expect(plan).toContainEqual(
    expect.objectContaining({
      detail: expect.stringContaining("tool_calls_by_call (call_key=?)"),
    }),
  );
});

describe("a directory of Windows is found from any system", () => {
  const held = [
    "C:\\Users\\Ada\\app",
    "c:/Users/Ada/app/",
    "/mnt/c/Users/Ada/app",
    "/cygdrive/c/Users/Ada/app/sub",
  ];
  const others = [
    "C:\\Users\\Ada\\apple",
    "D:\\Users\\Ada\\app",
    "/home/ada/C:\\Users\\Ada\\app",
    "\\\\nas\\app",
  ];
  const sessions = [...held, ...others].map((cwd, at) => session({ id: `of-${at}`, cwd }).user("word"));
  const world = { now: 0, timezone: "UTC", absolutePath: (path: string) => resolve("/here", path) };
  const found = (typed: string): string[] => {
    const filter = readFilter({ project: typed }, world, String);
    const all = indexOfSessions(...sessions);
    const within = searchEntries(all, `word project:"${typed}"`, { limit: 0 }).hits.map(
      (hit) => hit.session.cwd,
    );
    const listed = listSessions(all, { filter })
      .sessions.map(({ cwd }) => cwd)
      .toSorted();
    expect(within.toSorted()).toEqual(listed);
    return listed;
  };

  test.each([
    "C:\\Users\\Ada\\app",
    "c:\\users\\ada\\APP\\",
    "C:/Users/Ada/app",
    "C:\\Users\\Ada\\x\\..\\app",
    "/mnt/c/Users/Ada/app",
    "/mnt/c/Users/Ada/app/",
    "/c/Users/Ada/app",
  ])("%s", (typed) => {
    expect(found(typed)).toEqual(held.toSorted());
  });

  test("with all below it, a whole drive or a server", () => {
    expect(found("C:")).toEqual([...held, others[0]].toSorted());
    expect(found("d:\\")).toEqual([others[1]]);
    expect(found("\\\\NAS\\app")).toEqual([others[3]]);
  });
});
