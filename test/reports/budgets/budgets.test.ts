import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { identifyProjects } from "../../../src/api/projects.ts";
import type { Budget, BudgetLimit, BudgetOptions } from "../../../src/reports/budgets/budget-shapes.ts";
import { readBudgets } from "../../../src/reports/budgets/read-budgets.ts";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import type { Index } from "../../../src/store/open.ts";
import { countFolder } from "../../helpers/independent-count.ts";
import { groupFolder } from "../../helpers/independent-groups.ts";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { forAllIndexes, LONG } from "../../relations/all-stores.ts";
import { PROJECTS, ZONES } from "../../relations/drawn-store.ts";
import { indexOf, indexOfSessions } from "../indexed.ts";
import { writeSpendingStore } from "../usage/spending-store.ts";
import { writeFamilies } from "./families.ts";

const BOTH_WEEKS = ["monday", "sunday"] as const;
const EVERY = { day: 1, week: 1, month: 1, total: 1 };

function limitsOf(index: Index, budgets: Budget[], options: Partial<BudgetOptions> = {}): BudgetLimit[] {
  return readBudgets(index, { budgets, timezone: "UTC", now: 0, ...options }).limits;
}

const about = (dollars: number) => expect.closeTo(dollars, 9);

/** An index of answers of a model, each of a dollar, at these moments. */
function dollarsAt(...moments: string[]): Index {
  const built = session({ timestamp: "2000-01-01T00:00:00Z" });
  for (const moment of moments) built.at(moment).assistant({ usage: { input: 1, cost: { total: 1 } } });
  return indexOfSessions(built);
}

describe("what was spent of a limit equals a plain count of the files", () => {
  const root = join(sharedTempDir(), "store");
  writeSpendingStore(root);
  const { files, totals } = countFolder(root);
  const moments = [...new Set(files.flatMap(({ usage }) => usage.map(({ time }) => time ?? 0)))];
  const counted = files.flatMap((file) =>
    file.usage.filter((each) => each.counted).map((each) => ({ ...each, cwd: String(file.header.cwd) })),
  );

  test.each(["UTC", "Europe/Berlin", "America/Sao_Paulo", "Pacific/Chatham", "Australia/Lord_Howe"])(
    "of a day, a week, a month and all time in %s, at each moment something was spent",
    (timezone) => {
      const index = indexOf(root);
      const groups = groupFolder(root, timezone);
      for (const weekStart of BOTH_WEEKS) {
        const weeks = weekStart === "sunday" ? groups.sundays : groups.weekly;
        for (const now of moments) {
          const limits = limitsOf(index, [{ name: "all", ...EVERY }], { timezone, weekStart, now });
          const [day, week, month, total] = limits;
          const told = limits.map(({ spent }) => spent);
          expect(told).toEqual([
            about(groups.daily.get(day?.since ?? "")?.cost ?? 0),
            about(weeks.get(week?.since ?? "")?.cost ?? 0),
            about(groups.monthly.get(month?.since?.slice(0, 7) ?? "")?.cost ?? 0),
            about(totals.cost),
          ]);
          expect([total?.since, total?.until]).toEqual([null, null]);
          expect(Number(day?.spent)).toBeGreaterThan(0);
        }
      }
    },
  );

  test("by project, model and provider, and by all of them", () => {
    const index = indexOf(root);
    const asked = ["/p", "/p/tree", "/elsewhere"].flatMap((project) =>
      ["claude", "GPT-5", "local", "none"].flatMap((model) =>
        ["anthropic", "openai", "ollama"].map((provider) => ({ project, model, provider })),
      ),
    );
    const isWithin = (cwd: string, project: string) => `${cwd}/`.startsWith(`${project}/`);
    const sum = (is: (each: (typeof counted)[number]) => boolean) =>
      counted.filter(is).reduce((sofar, { cost }) => sofar + cost, 0);
    const budgets = asked.flatMap((each, at): Budget[] => [
      { name: `all ${at}`, total: 1, ...each },
      { name: `project ${at}`, total: 1, project: each.project },
      { name: `model ${at}`, total: 1, model: each.model },
      { name: `provider ${at}`, total: 1, provider: each.provider },
    ]);
    const expected = asked.flatMap(({ project, model, provider }) => {
      const isOfModel = (each: { model: string | null }) =>
        (each.model ?? "").toLowerCase().includes(model.toLowerCase());
      return [
        sum((each) => isWithin(each.cwd, project) && isOfModel(each) && each.provider === provider),
        sum(({ cwd }) => isWithin(cwd, project)),
        sum(isOfModel),
        sum((each) => each.provider === provider),
      ];
    });
    expect(limitsOf(index, budgets).map(({ spent }) => spent)).toEqual(expected.map(about));
    expect(expected.filter((cost) => cost > 0).length).toBeGreaterThan(20);
  });
});

describe("families with forks and sub-agents, whose results state their money again", () => {
  test.each([1, 2, 3])("count each dollar once, in the period it was spent (seed %i)", (seed) => {
    const root = join(tempDir(), "store");
    const spent = writeFamilies(root, seed);
    const index = indexOf(root);
    for (const timezone of ["Europe/Berlin", "America/Asuncion"]) {
      const format = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone });
      const dayOf = (time: number) => format.format(time);
      for (const { time: now } of spent.filter((_, at) => at % 7 === 0)) {
        const budgets = ["/a", "/b"].map((project) => ({ name: project, project, ...EVERY }));
        for (const limit of limitsOf(index, budgets, { timezone, weekStart: "sunday", now })) {
          const { since, until, project } = limit;
          const within = spent.filter(
            ({ time, cwd }) =>
              cwd === project && dayOf(time) >= (since ?? "") && dayOf(time) <= (until ?? "9999"),
          );
          const cost = within.reduce((sofar, each) => sofar + each.cost, 0);
          expect([limit.period, since, limit.spent]).toEqual([limit.period, since, about(cost)]);
        }
        const asked = { timezone, weekStart: "sunday", now } as const;
        const [ofA, ofB, all] = [{ project: "/a" }, { project: "/b" }, {}].map((what) =>
          limitsOf(index, [{ name: "x", ...what, ...EVERY }], asked),
        );
        const sums = ofA?.map(({ spent }, at) => about(spent + (ofB?.[at]?.spent ?? 0)));
        expect(all?.map(({ spent }) => spent)).toEqual(sums);
      }
    }
  });
});

describe("a period begins with the first moment of its first day", () => {
  test.each<[string, string, string, "week" | "month", "monday" | "sunday"]>([
    // Clocks went from 00:00 to 01:00: at 23:59:59 it was another month, then the first hour of this one.
    ["a month whose midnight never was", "America/Asuncion", "2017-10-01T04:00:00Z", "month", "monday"],
    ["a week whose midnight never was", "America/Sao_Paulo", "2018-11-04T03:00:00Z", "week", "sunday"],
    ["a week of Beirut, whose midnight never was", "Asia/Beirut", "2026-03-28T22:00:00Z", "week", "sunday"],
    ["a month in which clocks change", "Europe/Berlin", "2026-02-28T23:00:00Z", "month", "monday"],
    ["a week that a day of Apia is missing from", "Pacific/Apia", "2011-12-26T10:00:00Z", "week", "monday"],
  ])("%s", (_what, timezone, start, period, weekStart) => {
    const first = Date.parse(start);
    const index = dollarsAt(new Date(first - 1).toISOString(), new Date(first).toISOString());
    const [limit] = limitsOf(index, [{ name: "a", [period]: 1 }], { timezone, weekStart, now: first });
    expect(limit?.spent).toBe(1);
    const [before] = limitsOf(index, [{ name: "a", [period]: 1 }], { timezone, weekStart, now: first - 1 });
    expect(before?.spent).toBe(1);
    expect(before?.until).not.toBe(limit?.until);
  });

  test("and ends with its last: a day of 25 hours, and one of 23", () => {
    const [autumn, spring] = [Date.parse("2025-10-25T22:00:00Z"), Date.parse("2026-03-28T23:00:00Z")];
    const hour = 3_600_000;
    for (const [start, hours] of [
      [autumn, 25],
      [spring, 23],
    ] as const) {
      const moments = [-1, 0, hours * hour - 1, hours * hour].map((at) => new Date(start + at).toISOString());
      const [limit] = limitsOf(dollarsAt(...moments), [{ name: "a", day: 1 }], {
        timezone: "Europe/Berlin",
        now: start,
      });
      expect(limit?.spent).toBe(2);
    }
  });
});

describe("a limit", () => {
  const tenTimes = (cost: number) => {
    const built = session({ timestamp: "2026-01-01T00:00:00Z" });
    for (let at = 0; at < 10; at++) built.assistant({ usage: { input: 1, cost: { total: cost } } });
    return indexOfSessions(built);
  };
  const stateAt = (cost: number, budget: Omit<Budget, "name">) =>
    readBudgets(tenTimes(cost), {
      budgets: [{ name: "a", ...budget }],
      timezone: "UTC",
      now: Date.parse("2026-01-01T12:00:00Z"),
    }).state;

  test.each<[string, number, Omit<Budget, "name">, string]>([
    ["is kept below four fifths of it", 0.0799, { day: 1 }, "within"],
    ["warns at four fifths of it", 0.08, { day: 1 }, "warns"],
    ["warns at what it says itself", 0.05, { day: 1, warn: 0.5 }, "warns"],
    ["is not over where all of it was spent", 0.1, { day: 1 }, "warns"],
    ["warns at all of it only, where that is what it says", 0.0999, { day: 1, warn: 1 }, "within"],
    ["is over by the least more", 0.1000001, { day: 1 }, "over"],
    ["is over where one of several is", 0.1, { day: 5, month: 0.9 }, "over"],
  ])("%s", (_what, cost, budget, state) => {
    expect(stateAt(cost, budget)).toBe(state);
  });

  test("says its days, both included, and how much of it has no price", () => {
    const built = session({ timestamp: "2026-02-03T00:00:00Z" }).assistant({ usage: { input: 5 } });
    const options = { now: Date.parse("2026-02-05T12:00:00Z") };
    const limits = limitsOf(indexOfSessions(built), [{ name: "a", week: 10, month: 20, warn: 0.5 }], options);
    expect(limits).toEqual([
      {
        ...{ name: "a", period: "week", since: "2026-02-02", until: "2026-02-08" },
        ...{ limit: 10, warnAt: 5, spent: 0, unpriced: 1, state: "within" },
      },
      {
        ...{ name: "a", period: "month", since: "2026-02-01", until: "2026-02-28" },
        ...{ limit: 20, warnAt: 10, spent: 0, unpriced: 1, state: "within" },
      },
    ]);
  });
});

test("a project counts by all its names", async () => {
  const at = { timestamp: "2026-01-01T00:00:00Z" };
  const built = ["/home/ada/new", "/home/ada/old", "/home/ada/newer"].map((cwd, number) =>
    session({ ...at, id: `s${number}`, cwd }).assistant({
      text: cwd,
      usage: { input: 1, cost: { total: 10 ** number } },
    }),
  );
  const index = indexOfSessions(...built);
  await identifyProjects(index.database, { aliases: { "/home/ada/old": "/home/ada/new" } });
  const spentBy = (project: string) => limitsOf(index, [{ name: "a", project, total: 1 }])[0]?.spent;
  expect(["/home/ada/new", "/home/ada/old", "/home/ada/newer"].map(spentBy)).toEqual([11, 11, 100]);
});

test("a project that no session was held in is told of, another one without spending is not", () => {
  const index = indexOfSessions(session({ cwd: "/p" }).user("hello"));
  const { withoutSessions } = readBudgets(index, {
    budgets: [
      { name: "there", project: "/p", day: 1 },
      { name: "gone", project: "/q", day: 1 },
      { name: "all", day: 1 },
    ],
    timezone: "UTC",
    now: Date.parse("2030-01-01T00:00:00Z"),
  });
  expect(withoutSessions).toEqual(["gone"]);
});

test("more budgets than are asked at once are all counted", () => {
  const index = dollarsAt("2026-01-01T00:00:00Z");
  const budgets = Array.from({ length: 101 }, (_, at) => ({
    name: `b${at}`,
    total: 1,
    ...(at % 2 === 1 && { model: "no such model" }),
  }));
  expect(limitsOf(index, budgets).map(({ spent }) => spent)).toEqual(
    budgets.map((_, at) => (at % 2 === 1 ? 0 : 1)),
  );
});

const forAll = forAllIndexes(5);

test("budgets add up to what usage says: by project, by model, and over one root", LONG, () => {
  forAll((index, { roots }, choose) => {
    const timezone = choose(...ZONES) ?? "UTC";
    const weekStart = choose(...BOTH_WEEKS) ?? "monday";
    const moments = index.database.prepare("SELECT timestamp FROM usage WHERE timestamp > 0").pluck().all();
    const now = Number(choose(...moments) ?? 0);
    const asked = { timezone, weekStart, now };
    const root = choose(...roots) ?? roots[0];
    for (const scope of [{}, { roots: [root] }]) {
      const projects = sumUsage(index, { by: "project", timezone, ...scope });
      const budgets = PROJECTS.filter(Boolean).map((project) => ({ name: project, project, total: 1 }));
      for (const { project = "", spent } of limitsOf(index, budgets, { ...asked, ...scope })) {
        const rows = projects.rows.filter(({ key }) => `${key}/`.startsWith(`${project}/`));
        expect([project, spent]).toEqual([project, about(rows.reduce((sum, { cost }) => sum + cost, 0))]);
      }
      const [day, week, month, total] = limitsOf(index, [{ name: "all", ...EVERY }], { ...asked, ...scope });
      expect(total?.spent).toEqual(about(projects.totals.cost));
      for (const [limit, by] of [
        [day, "daily"],
        [week, "weekly"],
        [month, "monthly"],
      ] as const) {
        const key = by === "monthly" ? limit?.since?.slice(0, 7) : limit?.since;
        const row = sumUsage(index, { by, timezone, weekStart, ...scope }).rows.find(
          (each) => each.key === key,
        );
        expect([by, key, limit?.spent]).toEqual([by, key, about(row?.cost ?? 0)]);
      }
    }
  });
});
