import * as v from "valibot";
import { someText, textNamed } from "../runtime/validation.ts";

const dollars = "an amount of US dollars above 0";
const amount = (what: string) =>
  v.exactOptional(
    v.pipe(v.number(dollars), v.finite(dollars), v.gtValue(0, dollars), v.description(`US dollars ${what}.`)),
  );

const LIMITS = {
  day: amount("a day"),
  week: amount("a week"),
  month: amount("a month"),
  total: amount("in all"),
};
const share = "a part of the limit: above 0, and 1 at most";

const OF_EVERY_BUDGET = {
  model: v.exactOptional(v.pipe(someText, v.description("Only models with this in their names."))),
  provider: v.exactOptional(v.pipe(someText, v.description("Only this provider."))),
  ...LIMITS,
  warn: v.exactOptional(
    v.pipe(
      v.number(share),
      v.gtValue(0, share),
      v.maxValue(1, share),
      v.description("From which part of a limit on it warns; 0.8 unless told."),
    ),
  ),
};
const name = v.pipe(textNamed("a name"), v.description("What it is called."));

const HAS_LIMIT = "an object with a limit: day, week, month or total";
const hasLimit = (given: object): boolean =>
  Object.keys(LIMITS).some((period) => Object.hasOwn(given, period));

/** The only issues of its own are a name that means nothing, a value that is no object, and a name that is missing. */
function wrongBudget(...keys: string[]): (issue: { expected: string | null }) => string {
  const names = ["name", ...keys, ...Object.keys(OF_EVERY_BUDGET)];
  const aBudget = `an object of ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return ({ expected }) => (expected === '"name"' ? "a name" : aBudget);
}

const BUDGET = v.pipe(
  v.strictObject(
    {
      name,
      project: v.exactOptional(
        v.pipe(
          textNamed("a path"),
          v.description(
            "Only this project, by all its names, and what lies below it. A path is absolute, or begins with ~.",
          ),
        ),
      ),
      ...OF_EVERY_BUDGET,
    },
    wrongBudget("project"),
  ),
  v.check((given) => hasLimit(given), HAS_LIMIT),
);

const TEAM_BUDGET = v.pipe(
  v.strictObject(
    {
      name,
      author: v.exactOptional(v.pipe(someText, v.description("Only what this person has pushed."))),
      project: v.exactOptional(v.pipe(someText, v.description("Only projects with this in their names."))),
      ...OF_EVERY_BUDGET,
    },
    wrongBudget("author", "project"),
  ),
  v.check((given) => hasLimit(given), HAS_LIMIT),
);

const OTHER_NAME = "of another name than the budgets before it";

/** Whether an item has a name that none before it has. */
function isFirstOfName(own: string, at: number, all: readonly { name: string }[]): boolean {
  return all.findIndex((each) => each.name === own) === at;
}

/** Budgets as they are configured. A key that means nothing is an error: without it a budget would count more than was meant. */
export const BUDGETS = v.pipe(
  v.array(BUDGET, "a list of budgets"),
  v.checkItems((each, at, all) => isFirstOfName(each.name, at, all), OTHER_NAME),
);

/** Those of a team. */
export const TEAM_BUDGETS = v.pipe(
  v.array(TEAM_BUDGET, "a list of budgets"),
  v.checkItems((each, at, all) => isFirstOfName(each.name, at, all), OTHER_NAME),
);

export type BudgetSetting = v.InferOutput<typeof BUDGET>;
export type TeamBudgetSetting = v.InferOutput<typeof TEAM_BUDGET>;
