import { SessionDbError } from "../../errors.ts";
import type { Hit, SearchResult } from "../../query/results.ts";
import { type Args, choiceOf, countOf, textsOf } from "../args.ts";
import { INDEX_OPTIONS, withIndex } from "../catch-up.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { filterOptions, filterWorldOf, readFilter } from "../filter-options.ts";
import { printDocument } from "../output/json.ts";
import { formatCount, plural } from "../output/numbers.ts";
import { tildePath } from "../output/paths.ts";
import { oneLine } from "../output/sanitise.ts";
import { formatSnippet } from "../output/snippet.ts";
import { formatWhen } from "../output/times.ts";
import { cut, widthOf } from "../output/width.ts";
import { splitQuery } from "../query-filters.ts";

const DEFAULT_LIMIT = 20;
const LEAST_TITLE = 20;
const SEPARATOR = " · ";
const SORTS = ["relevance", "newest", "oldest"] as const;

export const search: Command = {
  positionals: {
    query: 'Words (all of them), "a phrase", -without, begin*, this OR that, role:user, since:7d',
  },
  options: {
    limit: { type: "string", describe: `How many hits at most, 0 = all [default: ${DEFAULT_LIMIT}]` },
    sort: { type: "string", describe: `${SORTS.join(", ")} [default: relevance]` },
    ...filterOptions(),
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 search parser error --since 2w", "both words, in the last two weeks"],
    [`$0 search '"race condition" -test*' --role assistant`, "a phrase, without tests"],
  ],
  async run(context, args) {
    const query = queryOf(args);
    const { words, args: inQuery } = splitQuery(query);
    if (words === "") throw nothingToSearchFor("Conditions alone are for sessiondb list.");
    const conditions = { ...args, ...inQuery };
    const filter = await readFilter(conditions, filterWorldOf(context));
    const limit = countOf(conditions, "limit") ?? DEFAULT_LIMIT;
    const sort = choiceOf(conditions, "sort", SORTS);
    const { searchEntries } = await import("../../query/search.ts");
    const { roots } = context.config;
    const found = await withIndex(context, args, { search: true }, (index) =>
      searchEntries(index, words, { filter, roots, limit, ...(sort && { sort }) }),
    );
    if (context.json) printDocument(context.out, { ...found, query });
    else printHits(context, found);
    return ExitCode.done;
  },
};

/** The words of the query as one text. */
function queryOf(args: Args): string {
  const query = textsOf(args, "query").join(" ").trim();
  if (query !== "") return query;
  throw nothingToSearchFor("Give words: sessiondb search parser error.");
}

function nothingToSearchFor(hint: string): SessionDbError {
  return new SessionDbError("usage", "nothing to search for", { hint });
}

function printHits(context: Context, { total, hits }: SearchResult): void {
  const { out, talk } = context;
  if (hits.length === 0) {
    talk.print("Nothing found.");
    return;
  }
  out.print(hits.map((hit) => formatHit(context, hit).join("\n")).join("\n\n"));
  const shown =
    total > hits.length ? `${formatCount(hits.length)} of ${plural(total, "hit")}` : plural(total, "hit");
  const more = total > hits.length ? "; --limit 0 shows all" : "";
  talk.print("", talk.paint.dim(shown + more));
}

/** Whose words and when, the words, and the place for an editor. */
function formatHit(context: Context, hit: Hit): string[] {
  const { out } = context;
  const { bold, dim, yellow } = out.paint;
  const indent = out.isTerminal ? "  " : "";
  const width = out.width === undefined ? undefined : out.width - indent.length;
  const snippet = formatSnippet(hit.snippet, hit.highlights, { width, mark: (text) => bold(yellow(text)) });
  const place = `${oneLine(hit.session.path)}:${hit.line}`;
  return [headline(context, hit), ...snippet.map((line) => indent + line), indent + dim(place)];
}

/** Title, project and the rest on one line: first the title is cut, then the project, then the rest. */
function headline(context: Context, hit: Hit): string {
  const { out, world } = context;
  const { bold, cyan, dim } = out.paint;
  const title = oneLine(hit.session.title) || "(empty)";
  const project = oneLine(out.isTerminal ? tildePath(hit.session.cwd, world.home) : hit.session.cwd);
  const facts = [timeOf(context, hit), speakerOf(hit), hit.onBranch ? "" : "other branch"]
    .filter(Boolean)
    .join(" · ");
  const room = out.width ?? Number.POSITIVE_INFINITY;
  const shownFacts = cut(facts, room - LEAST_TITLE - SEPARATOR.length);
  const forNames = room - widthOf(shownFacts) - SEPARATOR.length;
  const shownTitle = cut(title, Math.max(LEAST_TITLE, forNames - widthOf(project) - SEPARATOR.length));
  const shownProject = cut(project, forNames - widthOf(shownTitle) - SEPARATOR.length, "path");
  const parts: [string, (text: string) => string][] = [
    [shownTitle, bold],
    [shownProject, cyan],
    [shownFacts, dim],
  ];
  return parts.flatMap(([text, paint]) => (text === "" ? [] : [paint(text)])).join(dim(SEPARATOR));
}

function timeOf({ world, config, out }: Context, { timestamp }: Hit): string {
  if (timestamp === null) return "";
  return out.isTerminal ? formatWhen(Date.parse(timestamp), world.now(), config.timezone) : timestamp;
}

function speakerOf(hit: Hit): string {
  return oneLine([hit.role ?? hit.type, hit.tool].filter(Boolean).join(" "));
}
