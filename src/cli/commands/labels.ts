import type { Filter } from "../../filters/filter.ts";
import { LABEL_SORTS } from "../../reports/answers.ts";
import type { LabelledEntry } from "../../reports/labels.ts";
import { plural } from "../../text/numbers.ts";
import { shownPreview } from "../../text/preview.ts";
import { maskPreview, maskSecrets } from "../../text/secrets.ts";
import { choiceOf, countOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions } from "../command-line/filter-options.ts";
import { explained, noteUnmatched, printNothing } from "../output/empty-answer.ts";
import { shownPath, shownWhen } from "../output/fields.ts";
import { printDocument } from "../output/json-output.ts";
import { printRows, ROW_OPTIONS, rowFormatOf } from "../output/rows.ts";
import { shownTitle } from "../output/shown-title.ts";
import { type AnswerColumn, answerTable } from "../output/table.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

export const labels: Command = {
  pages: true,
  options: {
    limit: { value: "N", alias: "n", describe: "Maximum number of labels, 0 = all [default: 0]" },
    sort: {
      value: "KEY",
      completes: LABEL_SORTS,
      describe: `${LABEL_SORTS.join(" or ")} first [default: newest]`,
    },
    ...ROW_OPTIONS,
    ...filterOptions(),
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 labels", "every labelled entry, newest first"],
    ["$0 labels --label todo --here", "what is left to do in this project"],
  ],
  async run(context, args) {
    const filter = filterFrom(context, args);
    const format = rowFormatOf(context, args);
    const limit = countOf(args, "limit") ?? 0;
    const sort = choiceOf(args, "sort", LABEL_SORTS);
    const { listLabels } = await import("../../reports/labels.ts");
    const { roots } = context.config;
    const { found, unmatched } = await withIndex(context, args, { search: false }, (index) => {
      // One more than is shown, to know whether to say that there are more.
      const found = listLabels(index, { filter, roots, ...(sort && { sort }), limit: limit && limit + 1 });
      return explained(index, { filter, roots }, { found, isEmpty: found.length === 0 });
    });
    const shown = limit === 0 ? found : found.slice(0, limit);
    if (format === "json") {
      noteUnmatched(context, unmatched);
      printDocument(context.out, { labels: shown });
      return ExitCode.done;
    }
    if (found.length === 0) printNothing(context, nothingOf(filter), unmatched);
    const columns = labelColumns(context);
    if (format !== "table") printRows(context.out, { columns, rows: shown }, { format, args });
    else if (found.length > 0) context.out.print(answerTable(context, columns, shown));
    if (found.length > shown.length) {
      const { talk } = context;
      talk.say(`Showing the first ${plural(limit, "label")}; --limit 0 shows all.`, talk.paint.dim);
    }
    return ExitCode.done;
  },
};

function nothingOf(filter: Filter): string {
  return Object.keys(filter).length === 0 ? "No entry is labelled." : "No labelled entry matches.";
}

function labelColumns(context: Context): AnswerColumn<LabelledEntry>[] {
  const { yellow, cyan } = context.out.paint;
  return [
    { ...LABEL_COLUMN, paint: yellow },
    {
      name: "timestamp",
      value: ({ timestamp }) => timestamp,
      title: "Set",
      shown: ({ timestamp }) => (timestamp === null ? "" : shownWhen(context, timestamp)),
    },
    {
      name: "preview",
      value: ({ preview }) => maskPreview(preview),
      title: "Entry",
      shown: ({ preview }) => shownPreview(preview, maskPreview) || "-",
      shrinkTo: 20,
      weight: 2,
    },
    {
      name: "title",
      value: ({ session }) => shownTitle(session),
      title: "Session",
      shrinkTo: 12,
      expendable: 2,
    },
    {
      name: "cwd",
      value: ({ session }) => session.cwd,
      title: "Project",
      shown: ({ session }) => shownPath(context, session.cwd),
      shrinkTo: 12,
      cut: "path",
      expendable: 1,
      paint: cyan,
    },
    ...PLACE_COLUMNS,
  ];
}

const LABEL_COLUMN: AnswerColumn<LabelledEntry> = {
  name: "label",
  value: ({ label }) => maskSecrets(label),
  title: "Label",
  shrinkTo: 14,
  weight: 2,
};

const PLACE_COLUMNS: readonly AnswerColumn<LabelledEntry>[] = [
  { name: "entryId", value: ({ entryId }) => entryId },
  { name: "path", value: ({ session }) => session.path },
  { name: "line", value: ({ line }) => line },
];
