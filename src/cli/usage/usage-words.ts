import { SessionDbError } from "../../errors.ts";
import { USAGE_GROUPINGS, type UsageGrouping } from "../../reports/usage/usage-shapes.ts";
import { closest } from "../command-line/suggest.ts";

/** Answers of `usage` that are no report by groups. */
export const ANSWERS_BESIDE = ["waste", "statusline"] as const;

/** What can be asked of `usage`. */
export const USAGE_WORDS: readonly string[] = [...USAGE_GROUPINGS, ...ANSWERS_BESIDE];

/** Other words for groupings; plurals are understood, too. */
const ALSO = new Map<string, UsageGrouping>([
  ["hour", "hourly"],
  ["day", "daily"],
  ["week", "weekly"],
  ["month", "monthly"],
]);

/** The grouping that was asked for. @throws SessionDbError `usage` for an unknown one */
export function groupingOf(asked: string): UsageGrouping {
  const word = asked.toLowerCase();
  const singular = word === "branches" ? "branch" : word.replace(/s$/, "");
  const grouping = ALSO.get(singular) ?? USAGE_GROUPINGS.find((each) => each === word || each === singular);
  if (grouping !== undefined) return grouping;
  if (singular === "author")
    throw new SessionDbError("usage", "an index holds one person's sessions", {
      hint: "What each person has spent is asked of the team's database: sessiondb usage author --team",
    });
  const near = closest(word, USAGE_WORDS);
  throw new SessionDbError("usage", `usage cannot be grouped by "${word}"`, {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}Choose one of: ${USAGE_WORDS.join(", ")}.`,
  });
}
