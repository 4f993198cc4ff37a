import { groupedBy } from "../../runtime/collections.ts";
import type { Hit, SearchResult } from "../../search/hits/hit.ts";
import { readSearchSort } from "../../search/query/search-sort.ts";
import { formatCount, plural } from "../../text/numbers.ts";
import { type Args, countOf, isSet, textOf } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";
import { linkerFor } from "../terminal/links.ts";
import { type Explained, noteUnmatched, printNothing } from "./empty-answer.ts";
import { formatGroup, formatHit } from "./hit-lines.ts";
import { printDocumentWithList } from "./json-output.ts";
import { printRows, type RowFormat, rowFormatOf } from "./rows.ts";
import type { AnswerColumn } from "./table.ts";

/** What is asked for in words of people (`--flat`, `--context`) is for people, wherever it goes. */
export function hitFormatOf(context: Context, args: Args): RowFormat {
  const format = rowFormatOf(context, args);
  const isForPeople = isSet(args, "flat") || textOf(args, "context") !== undefined;
  return format === "tsv" && !isSet(args, "tsv") && isForPeople ? "table" : format;
}

/** Hits that are shown unless told. */
export const HITS = 20;

/** What is said of the hits that are wanted, wherever they are looked for. @throws SessionDbError `usage` */
export function wantedHits(args: Args) {
  const sort = textOf(args, "sort");
  return {
    reveal: isSet(args, "reveal"),
    limit: countOf(args, "limit") ?? HITS,
    ...(sort !== undefined && { sort: readSearchSort(sort, "--sort") }),
  };
}

interface HitListOptions<FoundHit> {
  format: RowFormat;
  args: Args;
  columns: readonly AnswerColumn<FoundHit>[];
  /** As people see it. */
  shown: (hit: FoundHit) => Hit;
  /** Said where nothing is found; null where that is not known yet. */
  nothing: string | null;
}

/** Prints hits in any format, how many there are, and what is unknown of what was asked. */
export async function printFound<FoundHit extends { copies: readonly unknown[] }>(
  context: Context,
  { found, unmatched }: Explained<Counted & { hits: readonly FoundHit[] }>,
  { format, args, columns, shown, nothing }: HitListOptions<FoundHit>,
): Promise<void> {
  const { hits, ...head } = found;
  if (format === "json") {
    noteUnmatched(context, unmatched);
    return printDocumentWithList(context.out, head, "hits", hits);
  }
  if (format !== "table") printRows(context.out, { columns, rows: hits }, { format, args });
  else if (hits.length > 0) await printHits(context, hits.map(shown), isSet(args, "flat"));
  if (hits.length > 0) sayCounts(context, found);
  else if (nothing !== null) printNothing(context, nothing, unmatched);
}

/** Hits by session on a terminal; elsewhere, and with `--flat`, each by itself. */
async function printHits(context: Context, hits: readonly Hit[], isFlat: boolean): Promise<void> {
  const { out } = context;
  if (isFlat || !out.isTerminal) {
    for (const [at, hit] of hits.entries())
      out.print([...(at === 0 ? [] : [""]), ...formatHit(context, hit)]);
  } else {
    const link = await linkerFor(out, context.world);
    const groups = [
      ...groupedBy(hits, ({ session: { path, id, title } }) => path || `${id} ${title}`).values(),
    ];
    out.print(groups.map((group) => formatGroup(context, group, link).join("\n")).join("\n\n"));
  }
}

type Counted = Pick<SearchResult, "total" | "totalIs" | "isTotalExact"> & {
  hits: readonly { copies: readonly unknown[] }[];
};

/** Says how many hits there are, and whether there are more. */
export function sayCounts({ talk }: Context, found: Counted): void {
  const { hits, total } = found;
  const more = total > hits.length || !found.isTotalExact ? " --limit 0 shows all." : "";
  talk.print("");
  talk.say(countsOf(found) + more, talk.paint.dim);
}

function countsOf({ hits, total, totalIs }: Counted): string {
  if (totalIs === "atLeast") return `Showing the first ${plural(hits.length, "hit")}; there may be more.`;
  const copied = hits.reduce((sum, { copies }) => sum + copies.length, 0);
  const copies = copied > 0 ? `, ${plural(copied, "copy", "copies")} in forks` : "";
  if (total === hits.length) return `${plural(total, "hit")}${copies}.`;
  const most = totalIs === "atMost" ? "up to " : "";
  return `${formatCount(hits.length)} of ${most}${plural(total, "hit")}${copies}.`;
}
