import { expect, test } from "vitest";
import type { BudgetReport } from "../../src/reports/budgets/budget-shapes.ts";
import { readBudgets } from "../../src/reports/budgets/read-budgets.ts";
import { readTeamBudgets } from "../../src/team/ask/team-budgets.ts";
import { twoPeople } from "./two-people.ts";

const people = twoPeople("usage");

const BUDGETS = [
  { name: "all", day: 0.01, week: 2, month: 100, total: 1 },
  { name: "of one model", model: "GPT", total: 0.2, warn: 0.1 },
  { name: "local", provider: "ollama", month: 5, total: 5 },
  { name: "of nothing", model: "nothing", total: 1 },
];

function about({ limits, ...rest }: BudgetReport): object {
  return { ...rest, limits: limits.map((limit) => ({ ...limit, spent: Number(limit.spent.toFixed(9)) })) };
}

test.each(["2026-03-28T23:30:00Z", "2026-03-29T01:00:00Z", "2026-10-25T00:45:00Z", "2027-01-01T00:00:00Z"])(
  "what the team has spent of budgets is what one index with everybody's files says, at %s",
  async (time) => {
    const now = Date.parse(time);
    for (const weekStart of ["monday", "sunday"] as const) {
      const options = { budgets: BUDGETS, timezone: "Europe/Berlin", weekStart, now };
      const here = readBudgets(people.index, options);
      expect(here.limits.some(({ spent }) => spent > 0)).toBe(true);
      expect(about(await readTeamBudgets(people.lead, options))).toEqual(about(here));
    }
  },
);
