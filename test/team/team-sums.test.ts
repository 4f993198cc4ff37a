import { describe, expect, test } from "vitest";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import type { UsageReport, UsageRow } from "../../src/reports/usage/usage-shapes.ts";
import type { TeamFilter } from "../../src/team/ask/team-filter.ts";
import { sumTeamUsage, TEAM_GROUPINGS, type TeamUsageOptions } from "../../src/team/ask/team-sums.ts";
import { twoPeople } from "./two-people.ts";

const people = twoPeople("names");

const ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu"];
const GROUPINGS = TEAM_GROUPINGS.filter((by) => by !== "author");

/** Dollars are floats, which added in another order differ in the last places. */
function compared(report: UsageReport): object {
  const { rows, ...rest } = report;
  return { ...roughly(rest), rows: rows.map(comparedRow).toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
}

function comparedRow({ path: _path, label: _label, models, ...row }: UsageRow) {
  const byModel = models
    ?.map(roughly)
    .map((each) => JSON.stringify(each))
    .sort();
  return { ...roughly(row), models: byModel, key: row.key };
}

function roughly<T>(value: T): T {
  if (typeof value === "number") return Number(value.toFixed(9)) as T;
  if (Array.isArray(value)) return value.map(roughly) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, roughly(each)])) as T;
}

async function expectSame(options: Omit<TeamUsageOptions, "by"> & { by: (typeof GROUPINGS)[number] }) {
  const { project: _project, author: _author, ...filter } = options.filter ?? {};
  const here = sumUsage(people.index, { ...options, filter });
  expect(compared(await sumTeamUsage(people.lead, options))).toEqual(compared(here));
  return here;
}

describe.each(ZONES)(
  "the team's sums are those of one index with everybody's files, in the days of %s",
  (timezone) => {
    test.each(GROUPINGS.filter((by) => by !== "project"))("by %s", async (by) => {
      const { rows } = await expectSame({ by, timezone, breakdown: true, trend: 4 });
      expect(rows.length).toBeGreaterThan(1);
    });

    test("with weeks that begin on another day", async () => {
      for (const by of ["weekly", "hour-of-week"] as const)
        await expectSame({ by, timezone, weekStart: "sunday" });
    });
  },
);

const timezone = "Europe/Berlin";
const at = (time: string) => Date.parse(time);

test.each<[string, TeamFilter]>([
  [
    "a time of whole quarters of an hour",
    { since: at("2025-10-26T00:30:00Z"), until: at("2026-10-25T00:45:00Z") },
  ],
  [
    "a time to the millisecond",
    { since: at("2025-03-29T22:59:59.999Z"), until: at("2025-11-03T03:30:00.001Z") },
  ],
  ["a model by a part of its name", { model: "GPT" }],
  ["a provider", { provider: "ollama" }],
  ["an origin", { origin: "interactive" }],
  ["sub-agents", { origin: "subagent" }],
  ["a session", { session: "grand" }],
])("%s is asked for as it is locally", async (_what, filter) => {
  for (const by of ["daily", "model", "session", "thinking"] as const)
    await expectSame({ by, timezone, filter });
});

test("sessions can stand each for itself, with the times of requests, without those that state nothing", async () => {
  await expectSame({ by: "session", timezone, own: true });
  await expectSame({ by: "session", timezone, times: true, withTokens: true });
});

test("people have rows of what counts for them, and their sum is that of all", async () => {
  const { rows, totals, copies } = await sumTeamUsage(people.lead, { by: "author", timezone });
  expect(rows.map(({ key }) => key).sort()).toEqual(["ada", "ben"]);
  expect(rows.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(totals.cost, 9);
  expect(copies.requests).toBeGreaterThan(10);
  const ofAda = await sumTeamUsage(people.lead, { by: "model", timezone, filter: { author: "ADA" } });
  expect(ofAda.totals.cost).toBeCloseTo(rows.find(({ key }) => key === "ada")?.cost ?? 0, 9);
  const nobody = await sumTeamUsage(people.lead, { by: "model", timezone, filter: { author: "nobody" } });
  expect(nobody.rows).toEqual([]);
});

test("projects are called by their names, and asked for by a part of one", async () => {
  const { rows, totals } = await sumTeamUsage(people.lead, { by: "project", timezone });
  expect(rows.map(({ key }) => key)).toContain("orchard");
  expect(totals.cost).toBeCloseTo(sumUsage(people.index, { by: "project", timezone }).totals.cost, 9);
  const found = await sumTeamUsage(people.lead, { by: "project", timezone, filter: { project: "ORCH" } });
  expect(found.rows.map(({ key }) => key)).toEqual(["orchard"]);
});

test("sessions are shown with their people, and with the titles that have left devices", async () => {
  const { rows } = await sumTeamUsage(people.lead, { by: "session", timezone });
  expect(rows.map(({ label }) => label)).toContain("ada: named parent");
  expect(rows.some(({ path }) => path !== undefined)).toBe(false);
});

test("an author sees their own rows only, however they are asked for", async () => {
  for (const by of TEAM_GROUPINGS) {
    const own = await sumTeamUsage(people.ada, { by, timezone });
    const asked = await sumTeamUsage(people.lead, { by, timezone, filter: { author: "ada" } });
    expect(compared(own)).toEqual(compared(asked));
    const others = await sumTeamUsage(people.ada, { by, timezone, filter: { author: "ben" } });
    expect(others.rows).toEqual([]);
  }
});
