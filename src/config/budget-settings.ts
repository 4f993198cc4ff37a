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

const A_BUDGET = "an object of name, project, model, provider, day, week, month, total and warn";

const BUDGET = v.pipe(
  v.strictObject(
    {
      name: v.pipe(textNamed("a name"), v.description("What it is called.")),
      project: v.exactOptional(
        v.pipe(
          textNamed("a path"),
          v.description(
            "Only this project, by all its names, and what lies below it. A path is absolute, or begins with ~.",
          ),
        ),
      ),
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
    },
    // The only issues of its own are a name that means nothing, a value that is no object, and a name that is missing.
    ({ expected }) => (expected === '"name"' ? "a name" : A_BUDGET),
  ),
  v.check(
    (budget) => Object.keys(LIMITS).some((period) => Object.hasOwn(budget, period)),
    "an object with a limit: day, week, month or total",
  ),
);

/** Budgets as they are configured. A key that means nothing is an error: without it a budget would count more than was meant. */
export const BUDGETS = v.pipe(
  v.array(BUDGET, "a list of budgets"),
  v.checkItems(
    ({ name }, index, all) => all.findIndex((each) => each.name === name) === index,
    "of another name than the budgets before it",
  ),
);

export type BudgetSetting = v.InferOutput<typeof BUDGET>;
