import { expect, test } from "vitest";
import type { Filter } from "../../src/filters/filter.ts";
import type { Sums } from "../../src/format/usage.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import {
  USAGE_GROUPINGS,
  type UsageOptions,
  type UsageReport,
} from "../../src/reports/usage/usage-shapes.ts";
import type { Index } from "../../src/store/open.ts";
import { about } from "../reports/usage/compared-sums.ts";
import { forAllIndexes, LONG, withIndexOf } from "./all-stores.ts";
import { MODELS } from "./drawn-entries.ts";
import { PROJECTS, ZONES } from "./drawn-store.ts";

const forAll = forAllIndexes(5);

const KEYS = ["input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost", "requests"] as const;

function sum(parts: readonly Sums[]): Sums {
  const total = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0, requests: 0 };
  for (const part of parts) for (const key of KEYS) total[key] += part[key];
  return total;
}

function expectSame(parts: readonly Sums[], whole: Sums, why: string): void {
  const { input, output, cacheRead, cacheWrite, totalTokens, cost, requests } = whole;
  const expected = about({ input, output, cacheRead, cacheWrite, totalTokens, cost, requests });
  expect(sum(parts), why).toEqual(expected);
}

function expectSameBeside(a: UsageReport, b: UsageReport, why: string): void {
  expect(a.unpriced, why).toBe(b.unpriced);
  for (const key of ["cacheHitRate", "cacheSavings"] as const) {
    if (b[key] === null) expect(a[key], why).toBeNull();
    else expect(a[key], why).toBeCloseTo(b[key], 9);
  }
}

function asker(index: Index, timezone: string) {
  return (by: UsageOptions["by"], filter: Filter = {}, options: Partial<UsageOptions> = {}) =>
    sumUsage(index, { by, timezone, filter, ...options });
}

test(
  "whatever usage is grouped by, in whatever zone, its rows and their models add up to the same",
  LONG,
  () => {
    forAll((index, _store, choose) => {
      const usage = asker(index, choose(...ZONES) ?? "UTC");
      const days = asker(index, "UTC")("daily");
      for (const by of USAGE_GROUPINGS) {
        const report = usage(
          by,
          {},
          { breakdown: choose(true, false) ?? true, times: choose(true, false) ?? true },
        );
        expectSame([report.totals], days.totals, by);
        expectSame([report.copies], days.copies, `copies ${by}`);
        expectSame(report.rows, days.totals, `rows ${by}`);
        expectSameBeside(report, days, by);
        for (const row of report.rows) if (row.models) expectSame(row.models, row, `models of ${row.key}`);
      }
    });
  },
);

test("the hours of a day add up to it, its days to a month", LONG, () => {
  forAll((index, _store, choose) => {
    const usage = asker(index, choose(...ZONES) ?? "UTC");
    const [hours, days, months] = [usage("hourly").rows, usage("daily").rows, usage("monthly").rows];
    for (const day of days)
      expectSame(
        hours.filter(({ key }) => key.startsWith(day.key)),
        day,
        day.key,
      );
    for (const month of months)
      expectSame(
        days.filter(({ key }) => key.startsWith(month.key)),
        month,
        month.key,
      );
  });
});

const PARTS: Filter[][] = [
  (["interactive", "fork", "handoff", "subagent"] as const).map((origin) => ({ origin })),
  [{ named: true }, { named: false }],
  ["message", "compaction", "branch_summary", "usage"].map((type) => ({ type })),
  ["user", "assistant", "toolResult"].map((role) => ({ role, type: "message" })),
];
const WHOLES: Filter[] = [{}, {}, {}, { type: "message" }];
/** A row for each session: with sub-agents in it, whose row it is depends on what the filter leaves of them. */
const OWN = { own: true };

test("what a filter finds and what it leaves out add up to all", LONG, () => {
  forAll((index, _store, choose) => {
    const usage = asker(index, choose(...ZONES) ?? "UTC");
    const by = choose(...USAGE_GROUPINGS) ?? "daily";
    const moments = index.database
      .prepare("SELECT timestamp FROM usage WHERE timestamp IS NOT NULL")
      .pluck()
      .all();
    const moment = Number(choose(...moments) ?? 0) + (choose(0, 1, 900_000) ?? 0);
    const split = [{ until: moment }, { since: moment }];
    for (const [number, parts] of [...PARTS, split].entries()) {
      const whole = usage(by, WHOLES[number], OWN);
      const found = parts.map((filter) => usage(by, filter, OWN));
      const why = `${by} ${JSON.stringify(parts)}`;
      expectSame(
        found.map(({ totals }) => totals),
        whole.totals,
        why,
      );
      expectSame(
        found.map(({ copies }) => copies),
        whole.copies,
        why,
      );
      for (const row of whole.rows) {
        const same = found.flatMap(({ rows }) =>
          rows.filter(({ key, path }) => key === row.key && path === row.path),
        );
        expectSame(same, row, `${why} ${row.key}`);
      }
    }
  });
});

test("a filter finds what the rows say that it names", LONG, () => {
  forAll((index, _store, choose) => {
    const usage = asker(index, "UTC");
    const by = choose(...USAGE_GROUPINGS) ?? "daily";
    const check = (filter: Filter, grouping: UsageOptions["by"], isMeant: (key: string) => boolean) => {
      const meant = usage(grouping).rows.filter(({ key }) => isMeant(key));
      expectSame(meant, usage(by, filter).totals, `${by} ${JSON.stringify(filter)}`);
    };
    for (const [provider, model] of MODELS) {
      check({ provider }, "provider", (key) => key === provider);
      check({ model: model.toUpperCase() }, "model", (key) => key.includes(model));
    }
    for (const project of PROJECTS)
      check({ project }, "project", (key) => `${key}/`.startsWith(`${project}/`));
    check({ role: "toolResult" }, "source", (key) => key === "tool");
    check({ type: "compaction" }, "source", (key) => key === "compaction");
  });
});

/** Whether of what results in a root state something was spent by sub-agents elsewhere. */
function statesOfOthers(index: Index, root: string): boolean {
  const paths = (rows: string) =>
    index.database.prepare(`SELECT path FROM files WHERE id IN (${rows})`).pluck().all();
  const isIn = (path: unknown) => String(path).startsWith(`${root}/`);
  return (
    paths("SELECT file_id FROM usage_rows WHERE accounted <> 0").some(isIn) &&
    !paths("SELECT file_id FROM sessions WHERE origin = 'subagent'").every(isIn)
  );
}

test(
  "what sessions hold is what counts and what was copied, and about one root what an index of it alone says",
  LONG,
  () => {
    forAll((index, { roots }, choose) => {
      const { totals, copies, rows } = asker(index, "UTC")("session", {}, OWN);
      const { sessions } = listSessions(index, { allSessions: true });
      expectSame(
        sessions.map(({ inherited }) => inherited),
        copies,
        "inherited",
      );
      expectSame([totals, copies], sum(sessions.map(({ usage }) => usage)), "all they hold");
      for (const session of sessions) {
        const own = rows.filter(({ path }) => path === session.path);
        expectSame([...own, session.inherited], session.usage, session.path);
      }
      const root = choose(...roots) ?? roots[0];
      const by = choose(...USAGE_GROUPINGS) ?? "daily";
      // What a result states is counted where it was spent, also where that is no root that is asked for.
      if (statesOfOthers(index, root)) return;
      const here = asker(index, "UTC")(by, {}, { ...OWN, roots: [root] });
      const alone = withIndexOf([root], (own) => asker(own, "UTC")(by, {}, OWN));
      expectSame([here.totals], alone.totals, `${by} of one root`);
      expectSame([here.copies], alone.copies, `copies of one root`);
      expect(here.rows.map(({ key }) => key).toSorted()).toEqual(alone.rows.map(({ key }) => key).toSorted());
    });
  },
);
