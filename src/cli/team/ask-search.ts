import { withTeam } from "../../api/team.ts";
import { SessionDbError } from "../../errors.ts";
import type { Hit } from "../../search/hits/hit.ts";
import { readQuery } from "../../search/search.ts";
import type { TeamHit, TeamHitPlace } from "../../team/ask/team-hits.ts";
import { searchTeam, type TeamSearchResult } from "../../team/ask/team-search.ts";
import { teamUnmatched } from "../../team/ask/team-unmatched.ts";
import { apiOf } from "../api-of.ts";
import { type Args, refuseOptions } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { filterWorldOf } from "../command-line/filter-options.ts";
import { nothingToSearchFor, queryOf } from "../command-line/query-argument.ts";
import { hitFormatOf, printFound, wantedHits } from "../output/hit-list.ts";
import { wholeTitle } from "../output/shown-title.ts";
import type { AnswerColumn } from "../output/table.ts";
import { teamFilterFrom } from "./asked-filter.ts";

/** `search --team`: what was said in sessions whose text has left a device. */
export async function searchTeamFor(context: Context, args: Args): Promise<number> {
  refuseOptions(args, ["substring"], {
    of: "search --team",
    hint: "The team's data hold words; search for those.",
  });
  refuseOptions(args, ["context"], {
    of: "search --team",
    hint: "What stands beside a hit is in its session file.",
  });
  const query = queryOf(args);
  const format = hitFormatOf(context, args);
  const { author, ...filter } = teamFilterFrom(context, args, { command: "search", also: ["role", "type"] });
  // A project is asked for by a part of its name.
  const world = { ...filterWorldOf(context), absolutePath: byName };
  const read = readQuery(query, { ...world, ...wantedHits(args), filter });
  if (read.words === "") throw nothingToSearchFor("To filter without searching, use sessiondb list --team.");
  const asked = { ...read.wanted.filter, ...(author !== undefined && { author }) };
  const answer = await withTeam(apiOf(context), async (client) => {
    const found = await searchTeam(client, { read, ...(author !== undefined && { author }) });
    return { found, unmatched: found.total === 0 ? await teamUnmatched(client, asked) : [] };
  });
  await printFound(context, answer, { format, args, columns: COLUMNS, shown: toHit, nothing: NOTHING });
  return ExitCode.done;
}

const NOTHING =
  "Nothing found. All words must occur in one entry, and only sessions that were pushed at the level text are searched.";

function byName(name: string, source: string): string {
  if (source !== "here:") return name;
  throw new SessionDbError("usage", "here: cannot be asked of a team", {
    hint: "Its data do not know directories: project:NAME is a part of a project's name.",
  });
}

/** As those of an index are shown: whose it is stands before the title, and the entry where the file would be. */
function toHit(hit: TeamHit): Hit {
  return { ...hit, ...toPlace(hit), parentId: null, onBranch: true, copies: hit.copies.map(toPlace) };
}

function toPlace({ author, session, handle }: TeamHitPlace) {
  const { id, project: cwd, title } = session;
  return { session: { id, path: "", cwd, title: `${author}: ${title}` }, handle, line: 0 };
}

const COLUMNS: readonly AnswerColumn<TeamSearchResult["hits"][number]>[] = [
  { name: "handle", value: ({ handle }) => handle },
  { name: "author", value: ({ author }) => author },
  { name: "title", value: ({ session }) => wholeTitle(session) },
  { name: "timestamp", value: ({ timestamp }) => timestamp },
  { name: "role", value: ({ role, type }) => role ?? type },
  { name: "tool", value: ({ tool }) => tool },
  { name: "snippet", value: ({ snippet }) => snippet },
  { name: "project", value: ({ session }) => session.project },
];
