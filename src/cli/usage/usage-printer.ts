import type { Unmatched } from "../../reports/known-names.ts";
import type { ReportGrouping, ReportOptions, UsageReport } from "../../reports/usage/usage-shapes.ts";
import { plural } from "../../text/numbers.ts";
import { toSafeJson } from "../../text/safe-json.ts";
import { type Args, choiceOf, countOf, isSet } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";
import { notTogether } from "../command-line/usage-errors.ts";
import { type Explained, noteUnmatched, printNothing } from "../output/empty-answer.ts";
import { printDocument } from "../output/json-output.ts";
import { printRows, rowFormatOf } from "../output/rows.ts";
import type { BelowTable } from "./below-table.ts";

/** The printer for the options. @throws SessionDbError `usage` for formats that exclude each other */
export async function printerOf(context: Context, args: Args, by: ReportGrouping): Promise<Printer> {
  const { out } = context;
  const format = rowFormatOf(context, args);
  const compat = choiceOf(args, "compat", ["ccusage"]);
  if (compat !== undefined) {
    if (format !== "json" && isSet(args, format)) throw notTogether(`--${format}`, "--compat");
    const { ccusageDocument, ccusageNames } = await import("./ccusage.ts");
    ccusageNames(by);
    return programPrinter(context, (report) => out.print(toSafeJson(ccusageDocument(report), 2)));
  }
  switch (format) {
    case "json":
      return programPrinter(context, (report) => printDocument(out, report));
    case "table":
      return await tablePrinter(context);
    default: {
      const { usageValues } = await import("./usage-values.ts");
      const print = (report: UsageReport): void => {
        const values = usageValues(report, { breakdown: isSet(args, "breakdown") });
        printRows(out, { ...values, items: report.rows }, { format, args });
      };
      // Nobody has asked for a format in a pipe: who reads it may be a person.
      return isSet(args, format) ? programPrinter(context, print) : await notingPrinter(context, print);
    }
  }
}

/** Prints a report, and says why it is empty and, to people, whether rows are left out. */
export type Printer = (
  report: UsageReport,
  about: { unmatched: readonly Unmatched[]; below?: BelowTable; hasMore: boolean },
) => void | Promise<void>;

async function tablePrinter(context: Context): Promise<Printer> {
  const { usageTable } = await import("./usage-table.ts");
  return notingPrinter(context, (report, below) =>
    context.out.print([...usageTable(context, report), ...(below?.bars ?? [])]),
  );
}

/** A printer that also says what the numbers cover. */
async function notingPrinter(
  context: Context,
  print: (report: UsageReport, below: BelowTable | undefined) => void,
): Promise<Printer> {
  const { talk } = context;
  const { nothingUsed, usageNotes } = await import("./usage-notes.ts");
  return async (report, { unmatched, below, hasMore }) => {
    if (report.rows.length === 0) {
      printNothing(context, nothingUsed(report), unmatched);
      return;
    }
    print(report, below);
    const shown = plural(report.rows.length, "row");
    if (hasMore) talk.say(`Showing ${shown}; the total covers all.`, talk.paint.dim);
    for (const note of [...usageNotes(report), ...(below?.notes ?? [])]) talk.say(note, talk.paint.dim);
  };
}

/** A printer of what a program reads. */
function programPrinter(context: Context, print: (report: UsageReport) => void): Printer {
  return (report, { unmatched }) => {
    noteUnmatched(context, unmatched);
    print(report);
  };
}

/** Prints as much of a report as is asked for. */
export async function printReport(
  print: Printer,
  { found, ...about }: Explained<UsageReport> & { below?: BelowTable },
  { args, options }: { args: Args; options: ReportOptions },
): Promise<void> {
  const { shownOf } = await import("../../reports/usage/usage-report.ts");
  // Cut here and not by the query, to know whether to say that there are more.
  const rows = shownOf(found.rows, { ...options, limit: countOf(args, "limit") ?? 0 });
  await print({ ...found, rows }, { ...about, hasMore: found.rows.length > rows.length });
}
