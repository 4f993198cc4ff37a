import type { Status } from "../../reports/status.ts";
import type { UsageReport } from "../../reports/usage/usage-shapes.ts";
import { formatCompact, plural } from "../../text/numbers.ts";
import { widthOf } from "../../text/width.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { addDays, dayOf } from "../../time/calendar.ts";
import type { Context } from "../command-line/command.ts";
import { DAYS, formatCost } from "../usage/usage-period.ts";
import { formatSparkline } from "./bars.ts";
import { formatDefinitions } from "./snippet-lines.ts";

const SEPARATOR = " · ";

/** As many on a line as fit. */
export function countLines({ out }: Context, counts: readonly string[]): string[] {
  const { bold, dim } = out.paint;
  const room = out.width ?? Number.POSITIVE_INFINITY;
  const lines: { text: string; width: number }[] = [];
  for (const [index, count] of counts.entries()) {
    // The last is the size of the files.
    const text = index === counts.length - 1 ? dim(count) : bold(count);
    const last = lines.at(-1);
    const longer = (last?.width ?? 0) + SEPARATOR.length + widthOf(count);
    if (last === undefined || longer > room) lines.push({ text, width: widthOf(count) });
    else lines[lines.length - 1] = { text: last.text + dim(SEPARATOR) + text, width: longer };
  }
  return lines.map(({ text }) => text);
}

/** What today and the last 30 days have cost; on a terminal with a line of days. */
export function costLines(
  { out, world, config }: Context,
  { last30Days }: Pick<Status, "last30Days">,
  daily: UsageReport,
): string[] {
  const { bold, dim, green } = out.paint;
  const isFree = last30Days.cost === 0 && daily.unpriced === 0;
  const cost = isFree ? "no cost" : formatCost({ ...last30Days, unpriced: daily.unpriced });
  const tokens = `${formatCompact(last30Days.totalTokens)} tokens, ${plural(last30Days.requests, "request")}`;
  const head = `${dim("Last 30 days")}  ${bold(cost)}`;
  const isBeside = widthOf(`Last 30 days  ${cost}  ${tokens}`) <= (out.width ?? Number.POSITIVE_INFINITY);
  const lines = isBeside ? [`${head}  ${dim(tokens)}`] : [head, ...wrapWords(tokens, out.width).map(dim)];
  if (last30Days.cost === 0) return lines;
  const today = dayOf(world.now(), config.timezone);
  const costs = new Map(daily.rows.map((row) => [row.key, row.cost]));
  const spentToday = formatCost(daily.rows.find(({ key }) => key === today) ?? { cost: 0, unpriced: 0 });
  const ofToday = `${dim("Today       ")}  ${bold(spentToday)}`;
  if (!out.isTerminal) return [ofToday, ...lines];
  const shown = Math.min(DAYS + 1, (out.width ?? 0) - "10-24  today".length);
  const days = Array.from({ length: shown }, (_, index) => addDays(today, index - shown + 1));
  const first = dim((days[0] ?? "").slice(5));
  return [
    ofToday,
    ...lines,
    `${first} ${green(formatSparkline(days.map((day) => costs.get(day) ?? 0)))} ${dim("today")}`,
  ];
}

/** Command lines that may come next, each with what it does. */
export function stepLines({ out }: Context, steps: readonly (readonly [string, string])[]): string[] {
  const definitions = steps.map(([commandLine, about]) => ({ terms: [commandLine], about }));
  return formatDefinitions(definitions, { width: out.width, paints: [out.paint.cyan, out.paint.dim] });
}
