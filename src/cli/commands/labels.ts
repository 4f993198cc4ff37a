import { tildePath } from "../../files/paths.ts";
import type { Filter } from "../../filters/filter.ts";
import { LABEL_SORTS } from "../../reports/answers.ts";
import type { LabelledEntry } from "../../reports/labels.ts";
import { plural } from "../../text/numbers.ts";
import { shownPreview } from "../../text/preview.ts";
import { maskPreview, maskSecrets } from "../../text/secrets.ts";
import { choiceOf, countOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions, filterWorldOf } from "../command-line/filter-options.ts";
import { explained, noteUnmatched, printNothing } from "../output/empty-answer.ts";
import { shownWhen } from "../output/fields.ts";
import { printDocument } from "../output/json-output.ts";
import { type Column, formatTable } from "../output/table.ts";
import { shownTitle } from "../output/title.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

export const labels: Command = {
  pages: true,
  options: {
    limit: { value: "N", describe: "Maximum number of labels, 0 = all [default: 0]" },
    sort: {
      value: "KEY",
      completes: LABEL_SORTS,
      describe: `${LABEL_SORTS.join(" or ")} first [default: newest]`,
    },
    ...filterOptions(),
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 labels", "every labelled entry, newest first"],
    ["$0 labels --label todo --here", "what is left to do in this project"],
  ],
  async run(context, args) {
    const filter = filterFrom(args, filterWorldOf(context));
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
    if (context.json) {
      noteUnmatched(context, unmatched);
      printDocument(context.out, { labels: shown });
    } else if (found.length === 0) await printNothing(context, nothingOf(filter), unmatched);
    else context.out.print(labelTable(context, shown));
    if (found.length > shown.length && !context.json) {
      const { talk } = context;
      talk.say(`Showing the first ${plural(limit, "label")}; --limit 0 shows all.`, talk.paint.dim);
    }
    return ExitCode.done;
  },
};

function nothingOf(filter: Filter): string {
  return Object.keys(filter).length === 0 ? "No entry is labelled." : "No labelled entry matches.";
}

function labelTable(context: Context, found: readonly LabelledEntry[]): string[] {
  const { out, world } = context;
  const { yellow, cyan, dim } = out.paint;
  const columns: Column[] = out.isTerminal
    ? [
        { title: "Label", paint: yellow, shrinkTo: 14, weight: 2 },
        { title: "Set" },
        { title: "Entry", shrinkTo: 20, weight: 2 },
        { title: "Session", shrinkTo: 12, expendable: 2 },
        { title: "Project", shrinkTo: 12, cut: "path", expendable: 1, paint: cyan },
      ]
    : ["Label", "Set", "Entry id", "Place", "Entry"].map((title) => ({ title }));
  const rows = found.map(({ label, timestamp, preview, entryId, line, session }) =>
    out.isTerminal
      ? [
          maskSecrets(label),
          timestamp === null ? "" : shownWhen(context, timestamp),
          shownPreview(preview, maskPreview) || "-",
          shownTitle(session),
          tildePath(session.cwd, world.home),
        ]
      : [
          maskSecrets(label),
          timestamp ?? "-",
          entryId,
          `${session.path}${line === null ? "" : `:${line}`}`,
          maskPreview(preview) || "-",
        ],
  );
  return formatTable(columns, rows, { width: out.width, paintTitle: dim });
}
