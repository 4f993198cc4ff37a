import type { BudgetLimit, BudgetReport } from "../../reports/budgets/budget-shapes.ts";
import type { Context } from "../command-line/command.ts";
import { formatBar } from "../output/bars.ts";
import { type Column, formatTable } from "../output/table.ts";
import { limitSizes, WHEN } from "./budgets-in.ts";

/** In columns. */
const BAR = 10;

const BEFORE_BAR: readonly Column[] = [
  { title: "", shrinkTo: 8 },
  { title: "", align: "right" },
  { title: "" },
  { title: "", expendable: 1 },
];
const AFTER_BAR: readonly Column[] = [{ title: "", align: "right" }, { title: "" }];

/** A line for each limit, yellow where it warns and red where it is over; on a terminal with a bar. */
export function budgetLines({ out }: Pick<Context, "out">, { limits }: BudgetReport): string[] {
  const paints = { within: String, warns: out.paint.yellow, over: out.paint.red };
  const bar = ({ spent, limit }: BudgetLimit): string => formatBar(spent, limit, BAR).padEnd(BAR, "░");
  const cells = limits.map((each) => {
    const { spent, limit, share } = limitSizes(each);
    return [
      ...[each.name, spent, `of ${limit}`, WHEN[each.period]],
      ...(out.isTerminal ? [bar(each)] : []),
      ...[share, each.state === "within" ? "" : each.state],
    ];
  });
  const bars: Column[] = out.isTerminal ? [{ title: "", expendable: 2 }] : [];
  const lines = formatTable([...BEFORE_BAR, ...bars, ...AFTER_BAR], cells, { width: out.width });
  return lines.map((line, at) => paints[limits[at]?.state ?? "within"](line));
}
