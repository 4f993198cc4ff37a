import type { Filter } from "../../filters/filter.ts";
import { shortIds } from "../../format/ids.ts";
import type {
  Wasted,
  WastefulSession,
  WasteKind,
  WastePartKey,
  WasteReport,
} from "../../reports/waste/waste-shapes.ts";
import { decimalsFor, formatCompact, formatCount, formatMoney, plural } from "../../text/numbers.ts";
import { type Args, countOf, refuseOptions } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { type Explained, explained, noteUnmatched, printNothing } from "../output/empty-answer.ts";
import { printDocument } from "../output/json-output.ts";
import { printRows, rowFormatOf } from "../output/rows.ts";
import { shownTitle } from "../output/shown-title.ts";
import { type AnswerColumn, type Column, formatTable } from "../output/table.ts";
import { withIndex } from "../with-index.ts";
import { nothingUsed, periodText } from "./usage-notes.ts";
import { formatCost } from "./usage-period.ts";

/** What is said of periods and rows has no meaning here. */
const REFUSED = ["breakdown", "estimate", "own", "week-start", "sort", "compat"];
/** How many sessions to look at are shown unless told. */
const SESSIONS = 10;

const KINDS: Record<WasteKind, { title: string; short: string }> = {
  abandoned: { title: "Abandoned branches", short: "Abandoned" },
  cacheMisses: { title: "Cache misses", short: "Cache" },
  compactions: { title: "Compactions paid twice", short: "Compacted" },
  failed: { title: "Failed requests", short: "Failed" },
};

const PARTS: Record<WastePartKey, string> = {
  withinFiveMinutes: "within 5 minutes",
  afterFiveMinutes: "after over 5 minutes",
  afterUnknownTime: "after an unknown time",
  otherModel: "another model was asked",
  error: "with an error",
  errorRetried: "with an error, asked again",
  aborted: "aborted",
  abortedRetried: "aborted, asked again",
};

/** Prints where money goes in vain; `filter` has the report's period. */
export async function printWaste(context: Context, args: Args, filter: Filter): Promise<number> {
  refuseOptions(args, REFUSED, {
    of: "usage waste",
    hint: "Its rows are kinds of waste; use sessiondb usage session to see what sessions have cost.",
  });
  const format = rowFormatOf(context, args);
  const { found, unmatched } = await ask(context, args, filter);
  const { out } = context;
  if (format === "table") {
    if (found.totals.requests === 0) printNothing(context, nothingUsed(found), unmatched);
    else printTables(context, found);
    return ExitCode.done;
  }
  noteUnmatched(context, unmatched);
  if (format === "json") printDocument(out, found);
  else printRows(out, { columns: COLUMNS, rows: found.rows }, { format, args });
  return ExitCode.done;
}

async function ask(context: Context, args: Args, filter: Filter): Promise<Explained<WasteReport>> {
  const { findWaste } = await import("../../reports/waste/waste-report.ts");
  const { roots, timezone } = context.config;
  const options = { filter, roots, timezone, limit: countOf(args, "limit") ?? SESSIONS };
  return withIndex(context, args, { search: false }, (index) => {
    const found = findWaste(index, options);
    return explained(index, options, { found, isEmpty: found.totals.requests === 0 });
  });
}

const COLUMNS = (["key", "requests", "totalTokens", "cost", "unpriced", "share"] as const).map(
  (name): AnswerColumn<WasteReport["rows"][number]> => ({ name, value: (row) => row[name] }),
);

function printTables(context: Context, report: WasteReport): void {
  const { out, talk } = context;
  out.print(kindTable(context, report));
  if (report.sessions.length > 0) {
    out.print(["", out.paint.dim("Sessions to look at"), ...sessionTable(context, report)]);
  }
  for (const note of notesOf(report)) talk.say(note, talk.paint.dim);
}

function kindTable({ out }: Context, { rows, wasted }: WasteReport): string[] {
  const decimals = decimalsFor(wasted.cost, out.width);
  const line = (name: string, figures: Wasted, share: string): string[] => [
    name,
    formatCount(figures.requests),
    formatCompact(figures.totalTokens),
    formatCost(figures, decimals),
    share,
  ];
  const lines = rows.flatMap((row) => [
    line(KINDS[row.key].title, row, percent(row.share)),
    ...row.parts.map((part, at) =>
      line(`${at === row.parts.length - 1 ? "└" : "├"} ${PARTS[part.key]}`, part, ""),
    ),
  ]);
  const columns: Column[] = [
    { title: "Spent in vain", shrinkTo: 24 },
    { title: "Requests", align: "right", expendable: 3 },
    { title: "Tokens", align: "right", expendable: 1 },
    { title: "Cost", align: "right" },
    { title: "Of all", align: "right", expendable: 2 },
  ];
  const totals = line("Each request once", wasted, percent(wasted.share));
  return formatTable(columns, lines, { width: out.width, paintTitle: out.paint.dim, totals });
}

function sessionTable({ out }: Context, { sessions }: WasteReport): string[] {
  const ids = shortIds(sessions.map(({ key }) => key));
  const decimals = decimalsFor(sessions[0]?.cost ?? 0, out.width);
  const all = Object.entries(KINDS) as [WasteKind, { short: string }][];
  // An empty column would take the room of one that says something.
  const names = all.filter(([kind]) => sessions.some(({ kinds }) => kinds[kind].requests > 0));
  const lines = sessions.map((session, at) => [
    ids[at] ?? session.key,
    shownTitle({ title: session.label }),
    ...names.map(([kind]) => costIn(session, kind, decimals)),
    formatCost(session, decimals),
  ]);
  const columns: Column[] = [
    { title: "Session" },
    { title: "Title", shrinkTo: 16 },
    ...names.map(([, { short }], at): Column => ({ title: short, align: "right", expendable: at + 1 })),
    { title: "Cost", align: "right" },
  ];
  return formatTable(columns, lines, { width: out.width, paintTitle: out.paint.dim });
}

function costIn({ kinds }: WastefulSession, kind: WasteKind, decimals: number): string {
  return kinds[kind].requests === 0 ? "" : formatCost(kinds[kind], decimals);
}

function percent(share: number | null): string {
  if (share === null || share === 0) return "-";
  return share < 0.005 ? "<1%" : `${Math.round(share * 100)}%`;
}

function notesOf(report: WasteReport): string[] {
  const { totals, wasted, sessions, sessionCount, timezone } = report;
  const more = sessionCount - sessions.length;
  return [
    ...(more > 0 ? [`${plural(more, "more session")}; --limit 0 shows all.`] : []),
    `${periodText(report)}, time zone ${timezone}. Spent in all: ${formatMoney(totals.cost)}.`,
    ...(wasted.requests === 0 ? ["Nothing of it was spent in vain."] : []),
    ...(wasted.unpriced > 0
      ? [`Not priced: ${plural(wasted.unpriced, "request")}, counted in tokens alone.`]
      : []),
  ];
}
