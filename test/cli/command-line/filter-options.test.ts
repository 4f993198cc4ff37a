import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Args, countOf, sortOf, textOf } from "../../../src/cli/command-line/args.ts";
import { filterFrom } from "../../../src/cli/command-line/filter-options.ts";
import { SessionDbError } from "../../../src/errors.ts";
import type { SessionList } from "../../../src/reports/answers.ts";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir } from "../../helpers/temp-dir.ts";
import { emptyAgent, runJson } from "../pretend-world.ts";

const NOW = Date.parse("2026-11-03T12:00:00Z");
const IN_ORCHARD = {
  world: { now: () => NOW, home: "/home/ada", cwd: "/home/ada/orchard" },
  config: { timezone: "UTC" },
};

describe("the filter", () => {
  const cases: [Args, object][] = [
    [{}, {}],
    [{ project: "." }, { project: "/home/ada/orchard" }],
    [{ project: "../tide/" }, { project: "/home/ada/tide" }],
    [{ project: "~/tide" }, { project: "/home/ada/tide" }],
    [{ here: true }, { project: "/home/ada/orchard" }],
    [{ here: false, named: false }, {}],
    [{ since: "today" }, { since: Date.parse("2026-11-03") }],
    [{ until: "2026-11-01" }, { until: Date.parse("2026-11-02") }],
    [
      { since: "2026-11-01", until: "2026-11-01" },
      { since: Date.parse("2026-11-01"), until: Date.parse("2026-11-02") },
    ],
    [
      { model: "opus", provider: "anthropic" },
      { model: "opus", provider: "anthropic" },
    ],
    [
      { role: "user", type: "message", tool: "bash", label: "7" },
      { role: "user", type: "message", tool: "bash", label: "7" },
    ],
    [
      { named: true, has: "error", origin: "fork" },
      { named: true, has: "error", origin: "fork" },
    ],
    [{ model: ["first", "last"] }, { model: "last" }],
  ];
  test.each(cases)("of %j is %j", (args, filter) => {
    expect(filterFrom(IN_ORCHARD, args)).toEqual(filter);
  });

  test.each([
    "2026-11-03T05:00:30+05:00",
    "2026-11-03T05:00:30+0500",
    "2026-11-03T05:00:30+05",
    "2026-11-03 05:00:30+05",
    "2026-11-02T18:00:30-06",
    "2026-11-03T05:00:30[Asia/Karachi]",
    "2026-11-03T05:00:30+05:00[Asia/Karachi]",
    "2026-11-03T00:00:30Z[Asia/Karachi]",
    "2026-11-03t00:00:30z",
    "2026-11-03T01:00:30",
  ])("takes %s for the moment it names, not for a local time", (since) => {
    const filter = filterFrom({ ...IN_ORCHARD, config: { timezone: "Europe/Berlin" } }, { since });
    expect(filter.since).toBe(Date.parse("2026-11-03T00:00:30Z"));
  });

  test("takes a day that the clocks of its zone skipped for no time at all", () => {
    const day = { since: "2011-12-30", until: "2011-12-30" };
    const filter = filterFrom({ ...IN_ORCHARD, config: { timezone: "Pacific/Apia" } }, day);
    expect([filter.since, filter.until]).toEqual(Array(2).fill(Date.parse("2011-12-30T10:00:00Z")));
  });

  const wrong: [string, Args][] = [
    ["a thing sessions cannot have", { has: "fun" }],
    ["an origin there is none of", { origin: "mars" }],
    ["two projects", { here: true, project: "/x" }],
    ["an end before the start", { since: "today", until: "yesterday" }],
    ["no date", { since: "soon" }],
    ["an offset that its zone does not have", { since: "2026-11-03T05:00+06:00[Asia/Karachi]" }],
    ["an empty value", { model: "" }],
  ];
  test.each(wrong)("refuses %s", (_name, args) => {
    expect(() => filterFrom(IN_ORCHARD, args)).toThrow(SessionDbError);
  });
});

describe("on the command line", () => {
  const agentDir = emptyAgent(sharedTempDir());
  const sessions = join(agentDir, "sessions");
  const parent = session({ id: "plain" })
    .user("one")
    .assistant({ provider: "openai", model: "gpt-5" })
    .writeBelow(sessions);
  const built = session({ id: "rich", cwd: "/home/ada/tide", parentSession: parent })
    .user("two")
    .assistant({ toolCalls: [{ name: "bash", arguments: { command: "ls" } }] })
    .toolResult("no", { isError: true });
  built
    .label(built.lastId ?? "", "keep")
    .name("a name")
    .compaction("all of it")
    .writeBelow(sessions);

  test.each([
    "--named",
    "--origin handoff",
    "--origin=handoff",
    "--type compaction",
    "--has error",
    "--has compaction",
    "--tool bash",
    "--provider anthropic",
    "--model sonnet",
    "--role toolResult",
    "--label keep",
    "--project /home/ada/tide",
  ])("%s leaves the sessions it holds for, and no other", async (filter) => {
    const argv = ["list", ...filter.split(" ")];
    const { sessions } = (await runJson(argv, { agentDir })) as SessionList;
    expect(sessions.map(({ id }) => id)).toEqual(["rich"]);
  });

  test("--named takes no value, and --timezone is that of -z", async () => {
    const argv = ["usage", "session", "--all", "--named", "--timezone", "Asia/Tokyo"];
    const report = await runJson(argv, { agentDir });
    expect(report).toMatchObject({ timezone: "Asia/Tokyo", rows: [{ key: "rich" }] });
  });
});

test.each([
  ["0", 0],
  ["25", 25],
  [["5", "7"], 7],
  [undefined, undefined],
])("--limit %j is %j", (limit, count) => {
  expect(countOf({ limit }, "limit")).toBe(count);
});

test.each(["-1", "1.5", "ten", "1e3", "", "99999999999999999999"])("--limit cannot be %j", (limit) => {
  expect(() => countOf({ limit }, "limit")).toThrow(SessionDbError);
});

describe("sorting", () => {
  const keys = ["modified", "cost", "title"] as const;
  test.each([
    ["cost", { key: "cost", descending: true }],
    ["cost:asc", { key: "cost", descending: false }],
    ["title", { key: "title", descending: false }],
    ["title:desc", { key: "title", descending: true }],
  ])("by %s", (sort, expected) => {
    expect(sortOf({ sort }, keys)).toEqual(expected);
  });

  test.each(["price", "cost:down", "cost:asc:desc", ":asc"])("not by %j", (sort) => {
    expect(() => sortOf({ sort }, keys)).toThrow(SessionDbError);
  });
});

test("an option without its value is a wrong use", () => {
  expect(() => textOf({ model: "" }, "model")).toThrow("--model needs a value");
});
