import { SessionDbError } from "../../errors.ts";
import type { Asked, Unmatched } from "../../reports/unmatched.ts";
import type { Hit, HitPlace, Neighbour, SearchResult } from "../../search/hits/hit.ts";
import { readSearchSort, SEARCH_SORTS } from "../../search/query/search-sort.ts";
import type { Wanted } from "../../search/search.ts";
import type { Index } from "../../store/open.ts";
import { formatCount, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { cut, widthOf } from "../../text/width.ts";
import { type Args, countOf, isSet, textOf, textsOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions, filterWorldOf } from "../command-line/filter-options.ts";
import { REVEAL_OPTION } from "../command-line/options.ts";
import { explained, noteUnmatched, printNothing, unmatchedSentences } from "../output/empty-answer.ts";
import { shownPath, shownSpeaker, shownTime } from "../output/fields.ts";
import { printDocumentWithList } from "../output/json-output.ts";
import { formatSnippet } from "../output/snippet-lines.ts";
import { noteBehind } from "../output/tell-note.ts";
import { wholeTitle } from "../output/title.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

const DEFAULT_LIMIT = 20;
const LEAST_TITLE = 20;
const SEPARATOR = " · ";
/** How many copies of a hit are listed. */
const MOST_COPIES = 3;

export const search: Command = {
  pages: true,
  takesEmptyWords: (args) => isSet(args, "substring"),
  positionals: {
    query: 'Words (all of them), "a phrase", -without, begin*, this OR that, role:user, since:7d, -tool:bash',
  },
  options: {
    limit: { value: "N", describe: `Maximum number of hits, 0 = all [default: ${DEFAULT_LIMIT}]` },
    sort: {
      value: "KEY",
      completes: SEARCH_SORTS,
      describe: `${SEARCH_SORTS.join(", ")} [default: relevance]`,
    },
    context: {
      value: "N",
      describe: "Show N entries before and after each hit, on the same branch",
    },
    substring: {
      describe: "Find exactly this text, whatever its characters, in the session files",
    },
    ...REVEAL_OPTION,
    ...filterOptions(),
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 search parser error --since 2w", "both words, in the last two weeks"],
    [`$0 search '"race condition" -test*' --role assistant`, "a phrase, without tests"],
    ["$0 search tide role:user label:todo --context 2", "filters can be part of the query"],
    [`$0 search --substring '})();'`, "an exact text, whatever its characters"],
  ],
  async run(context, args) {
    const substring = isSet(args, "substring");
    const query = substring ? needleOf(args) : queryOf(args);
    const world = filterWorldOf(context);
    const sort = textOf(args, "sort");
    const { roots } = context.config;
    const options = {
      ...world,
      filter: filterFrom(args, world),
      substring,
      roots,
      reveal: isSet(args, "reveal"),
      limit: countOf(args, "limit") ?? DEFAULT_LIMIT,
      context: countOf(args, "context", "0 shows the hit alone.") ?? 0,
      ...(sort !== undefined && { sort: readSearchSort(sort, "--sort") }),
    };
    const { limitOf, readQuery, searchFor } = await import("../../search/search.ts");
    const read = readQuery(query, options);
    const asked = { filter: read.wanted.filter ?? {}, roots };
    if (read.words === "") throw await conditionsAlone(context, args, asked);
    const needs = { search: !substring };
    const { found, unmatched, unknown } = await withIndex(context, args, needs, async (index) => {
      const found = searchFor(index, read);
      const answer = await explained(index, asked, { found, isEmpty: found.hits.length === 0 });
      return { ...answer, unknown: await unmatchedBy(index, read.wanted) };
    });
    noteUnmatched(context, unknown);
    if (found.behind > 0) {
      noteBehind(context.talk, `${plural(found.behind, "entry", "entries")} cannot be searched yet`);
    }
    if (!found.isTotalExact && found.hits.length < limitOf(read.wanted)) context.talk.note(TIME_WAS_OVER);
    const { hits, ...head } = found;
    if (context.json) {
      noteUnmatched(context, unmatched);
      printDocumentWithList(context.out, head, "hits", hits);
    } else if (hits.length === 0) await printNothing(context, nothingFound(query, substring), unmatched);
    else printHits(context, found);
    return ExitCode.done;
  },
};

const TIME_WAS_OVER =
  "only the newest entries were looked through: a beginning* stands for very many words; write more of it, or use --limit 0.";

/** The words of the query as one text. */
function queryOf(args: Args): string {
  const query = textsOf(args, "query").join(" ").trim();
  if (query === "") throw nothingToSearchFor("Give some words: sessiondb search parser error.");
  return query;
}

/** Exclusions that exclude nothing, because nothing has that name. */
async function unmatchedBy(index: Index, { without = [], roots }: Wanted): Promise<Unmatched[]> {
  if (without.length === 0) return [];
  const { unmatchedIn } = await import("../../reports/unmatched.ts");
  return without.flatMap((filter) => unmatchedIn(index, { filter, roots }));
}

/** The error for conditions without words to search for. It also says which conditions name something unknown. */
async function conditionsAlone(context: Context, args: Args, asked: Asked): Promise<SessionDbError> {
  const { unmatched } = await withIndex(context, args, { search: false }, (index) =>
    explained(index, asked, { found: undefined, isEmpty: true }),
  );
  const hints = [
    ...unmatchedSentences(context, unmatched),
    "To filter without searching, use sessiondb list.",
  ];
  return nothingToSearchFor(hints.join(" "));
}

/** The text to look for: every character counts, spaces too. */
function needleOf({ query }: Args): string {
  const words = (Array.isArray(query) ? query : []).map(String);
  if (words.length > 0 && !words.includes("")) return words.join(" ");
  throw nothingToSearchFor("Give some text: sessiondb search --substring '})();'.");
}

function nothingToSearchFor(hint: string): SessionDbError {
  return new SessionDbError("usage", "nothing to search for", { hint });
}

function nothingFound(query: string, substring: boolean): string {
  if (substring) return "Nothing found. --substring is case-sensitive; a search without it is not.";
  if (/(?:^|\s)(?:AND|NOT)\s/.test(query)) {
    return "Nothing found. AND and NOT are searched for like any other word: leave AND out, write -word for NOT word.";
  }
  return "Nothing found. All words must occur in one entry: use fewer words, or begin* to match how words begin.";
}

function printHits(context: Context, found: SearchResult): void {
  const { out, talk } = context;
  const { hits, total } = found;
  for (const [at, hit] of hits.entries()) out.print([...(at === 0 ? [] : [""]), ...formatHit(context, hit)]);
  const more = total > hits.length || !found.isTotalExact ? " --limit 0 shows all." : "";
  talk.print("");
  talk.say(countsOf(found) + more, talk.paint.dim);
}

function countsOf({ hits, total, totalIs }: SearchResult): string {
  if (totalIs === "atLeast") return `Showing the first ${plural(hits.length, "hit")}; there may be more.`;
  const copied = hits.reduce((sum, { copies }) => sum + copies.length, 0);
  const copies = copied > 0 ? `, ${plural(copied, "copy", "copies")} in forks` : "";
  if (total === hits.length) return `${plural(total, "hit")}${copies}.`;
  const most = totalIs === "atMost" ? "up to " : "";
  return `${formatCount(hits.length)} of ${most}${plural(total, "hit")}${copies}.`;
}

/** The lines of a hit: whose words and when, the words, and the place for an editor. */
function formatHit(context: Context, hit: Hit): string[] {
  const { out } = context;
  const { bold, dim, yellow } = out.paint;
  const indent = out.isTerminal ? "  " : "";
  const width = out.width === undefined ? undefined : out.width - indent.length;
  const snippet = formatSnippet(hit.snippet, hit.highlights, { width, mark: (text) => bold(yellow(text)) });
  const copies = hit.copies.slice(0, MOST_COPIES).map((copy) => `also ${addressOf(context, copy)}`);
  const more = hit.copies.length - copies.length;
  const places = [
    addressOf(context, hit),
    ...copies,
    ...(more > 0 ? [`also in ${plural(more, "other fork")}`] : []),
  ];
  const beside = (each: Neighbour) => indent + dim(neighbourLine(context, each, width));
  return [
    headline(context, hit),
    ...(hit.context?.before.map(beside) ?? []),
    ...snippet.map((line) => indent + line),
    ...(hit.context?.after.map(beside) ?? []),
    ...places.map((place) => indent + dim(place)),
  ];
}

/** `path:line`, which editors open. */
function addressOf(context: Context, { session, line }: HitPlace): string {
  return `${shownPath(context, session.path)}:${line}`;
}

/** An entry before or after a hit: the speaker, and as many of the words as fit. */
function neighbourLine({ out }: Context, neighbour: Neighbour, width: number | undefined): string {
  const line = `${out.isTerminal ? "│ " : ""}${shownSpeaker(neighbour)}: ${oneLine(neighbour.text)}`;
  return width === undefined ? line : cut(line, width);
}

/**
 * Title, project and the rest on one line. If they do not fit, first the title is cut, then the project, then the rest.
 */
function headline(context: Context, hit: Hit): string {
  const { out } = context;
  const { bold, cyan, dim } = out.paint;
  const title = wholeTitle(hit.session);
  const project = shownPath(context, hit.session.cwd);
  const facts = [shownTime(context, hit.timestamp), shownSpeaker(hit), hit.onBranch ? "" : "other branch"]
    .filter(Boolean)
    .join(SEPARATOR);
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
