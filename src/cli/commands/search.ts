import type { Needs } from "../../api/catch-up.ts";
import type { SessionDbError } from "../../errors.ts";
import type { Asked, Unmatched } from "../../reports/known-names.ts";
import type { Hit, SearchResult } from "../../search/hits/hit.ts";
import { SEARCH_SORTS } from "../../search/query/search-sort.ts";
import type { Wanted } from "../../search/search.ts";
import type { Index } from "../../store/open.ts";
import { plural } from "../../text/numbers.ts";
import { type Args, countOf, isSet } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions, filterWorldOf } from "../command-line/filter-options.ts";
import { REVEAL_OPTION } from "../command-line/options.ts";
import { needleOf, nothingToSearchFor, queryOf } from "../command-line/query-argument.ts";
import { explained, noteUnmatched, unmatchedSentences } from "../output/empty-answer.ts";
import { HITS, hitFormatOf, printFound, sayCounts, wantedHits } from "../output/hit-list.ts";
import { ROW_OPTIONS, type RowFormat } from "../output/rows.ts";
import { wholeTitle } from "../output/shown-title.ts";
import type { AnswerColumn } from "../output/table.ts";
import { noteBehind } from "../output/tell-note.ts";
import { AUTHOR_OPTION, refuseAuthor, TEAM_OPTION } from "../team/team-options.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

export const search: Command = {
  pages: true,
  takesEmptyWords: (args) => isSet(args, "substring"),
  completes: "qualifiers",
  positionals: {
    query:
      'Words (all of them), "a phrase", -without, begin*, (this OR that), role:user, since:7d, -tool:bash',
  },
  options: {
    limit: {
      value: "N",
      alias: "n",
      describe: `Maximum number of hits, 0 = all [default: ${HITS}]`,
    },
    sort: {
      value: "KEY",
      completes: SEARCH_SORTS,
      describe: `${SEARCH_SORTS.join(", ")} [default: relevance]`,
    },
    context: {
      value: "N",
      alias: "C",
      describe: "Show N entries before and after each hit, on the same branch",
    },
    substring: {
      describe: "Find exactly this text, whatever its characters, in the session files",
    },
    ...ROW_OPTIONS,
    flat: { describe: "Each hit by itself, with its path, instead of below its session" },
    ...REVEAL_OPTION,
    ...TEAM_OPTION,
    ...filterOptions(),
    ...AUTHOR_OPTION,
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 search parser error --since 2w", "both words, in the last two weeks"],
    [`$0 search '"race condition" -test*' --role assistant`, "a phrase, without tests"],
    ["$0 search tide role:user label:todo --context 2", "filters can be part of the query"],
    [`$0 search --substring '})();'`, "an exact text, whatever its characters"],
  ],
  async run(context, args) {
    if (isSet(args, "team")) return (await import("../team/ask-search.ts")).searchTeamFor(context, args);
    refuseAuthor(args, "search");
    const substring = isSet(args, "substring");
    const query = substring ? needleOf(args) : queryOf(args);
    const format = hitFormatOf(context, args);
    const options = { ...optionsOf(context, args), substring };
    const asking = { query, options, format, args };
    // Programs get one answer, about everything.
    const isPartEnough = format === "table" && context.out.isTerminal && !isSet(args, "no-sync");
    let isPart = false;
    const found = await answer(context, asking, isPartEnough ? { onPart: () => (isPart = true) } : {});
    await show(context, asking, found, { isPart });
    if (isPart) context.later(() => answerAll(context, asking, found));
    return ExitCode.done;
  },
};

interface Asking {
  query: string;
  options: ReturnType<typeof optionsOf> & { substring: boolean };
  format: RowFormat;
  args: Args;
}

interface Answer {
  found: SearchResult;
  /** Conditions that name something unknown, where nothing is found. */
  unmatched: Unmatched[];
  /** Exclusions that exclude nothing. */
  unknown: Unmatched[];
  limit: number;
}

async function answer(
  context: Context,
  { query, options, args }: Asking,
  part: Pick<Needs, "onPart"> = {},
): Promise<Answer> {
  const { limitOf, readQuery, searchFor } = await import("../../search/search.ts");
  const read = readQuery(query, options);
  const asked = { filter: read.wanted.filter ?? {}, roots: options.roots };
  if (read.words === "") throw await conditionsAlone(context, args, asked);
  const needs = { search: !options.substring, ...part };
  return withIndex(context, args, needs, async (index) => {
    const found = searchFor(index, read);
    const isEmpty = found.hits.length === 0;
    const unknown = await unmatchedBy(index, read.wanted);
    return { ...(await explained(index, asked, { found, isEmpty })), unknown, limit: limitOf(read.wanted) };
  });
}

/** @param isPart whether the answer is about the newest sessions only, and the rest follows */
async function show(
  context: Context,
  { query, options, format, args }: Asking,
  { unknown, limit, ...answer }: Answer,
  { isPart = false } = {},
): Promise<void> {
  noteUnmatched(context, unknown);
  if (!isPart) await noteMissing(context, answer.found, limit);
  const nothing = isPart ? null : nothingFound(query, options.substring);
  await printFound(context, answer, { format, args, columns: COLUMNS, shown: (hit) => hit, nothing });
}

/** The answer about everything, after that about the newest sessions. What is the same in both is not shown again. */
async function answerAll(context: Context, asking: Asking, first: Answer): Promise<void> {
  const where = first.found.hits.length > 0 ? "that is from" : "there is nothing in";
  context.talk.note(
    `${where} the newest sessions; the others are made searchable now. Ctrl-C does no harm: the next search goes on with it.`,
  );
  const whole = await answer(context, asking);
  const isSame = handlesOf(whole) === handlesOf(first);
  if (isSame && first.found.hits.length > 0) sayCounts(context, whole.found);
  else await show(context, asking, whole);
}

function handlesOf({ found }: Answer): string {
  return found.hits.map(({ handle }) => handle).join();
}

function optionsOf(context: Context, args: Args) {
  return {
    ...filterWorldOf(context),
    ...wantedHits(args),
    filter: filterFrom(context, args),
    roots: context.config.roots,
    context: countOf(args, "context", "0 shows the hit alone.") ?? 0,
  };
}

/** Notes what the answer may lack. */
async function noteMissing(
  { talk }: Context,
  { behind, leftOut, isTotalExact, hits }: SearchResult,
  limit: number,
): Promise<void> {
  if (behind > 0) noteBehind(talk, `${plural(behind, "entry", "entries")} cannot be searched yet`);
  if (leftOut.length > 0) {
    const { MOST_TERMS } = await import("../../search/search.ts");
    const words = plural(leftOut.length + MOST_TERMS, "word");
    talk.note(`the query has ${words}; the rarest ${MOST_TERMS} were searched for.`);
  }
  if (!isTotalExact && hits.length < limit) talk.note(TIME_WAS_OVER);
}

const TIME_WAS_OVER =
  "only the newest entries were looked through: a beginning* stands for very many words; write more of it, or use --limit 0.";

/** Exclusions that exclude nothing, because nothing has that name. */
async function unmatchedBy(index: Index, { without = [], roots }: Wanted): Promise<Unmatched[]> {
  if (without.length === 0) return [];
  const { unmatchedIn } = await import("../../reports/known-names.ts");
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

function nothingFound(query: string, substring: boolean): string {
  if (substring) return "Nothing found. --substring is case-sensitive; a search without it is not.";
  if (/(?:^|\s)NOT\s/.test(query)) {
    return 'Nothing found. NOT leaves out entries with the word after it; in quotes ("NOT") it is a word.';
  }
  return "Nothing found. All words must occur in one entry: use fewer words, or begin* to match how words begin.";
}

const COLUMNS: readonly AnswerColumn<Hit>[] = [
  { name: "handle", value: ({ handle }) => handle },
  { name: "title", value: ({ session }) => wholeTitle(session) },
  { name: "timestamp", value: ({ timestamp }) => timestamp },
  { name: "role", value: ({ role, type }) => role ?? type },
  { name: "tool", value: ({ tool }) => tool },
  { name: "snippet", value: ({ snippet }) => snippet },
  { name: "cwd", value: ({ session }) => session.cwd },
  { name: "path", value: ({ session }) => session.path },
  { name: "line", value: ({ line }) => line },
];
