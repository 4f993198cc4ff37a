import * as v from "valibot";
import { USAGE_GROUPINGS } from "../../reports/usage/usage-shapes.ts";

/** A tool of the server: what a model is told of it, and the command that answers it. */
export interface ToolCommand {
  name: string;
  title: string;
  description: string;
  input: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** The command line, without what is the same for all. */
  argv: (input: Readonly<Record<string, unknown>>) => string[];
  /** Whether the answer is text for people; else a document. */
  isText?: boolean;
  /** Whether the command masks secrets itself. */
  isMasked?: boolean;
}

const text = (about: string) => v.pipe(v.string(), v.minLength(1), v.description(about));
const few = (most: number, usual: number) =>
  v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(most),
      v.description(`How many at most; ${usual} unless told.`),
    ),
  );

const FILTERS = {
  project: v.optional(text("Only sessions held in this directory, or in a project that it belongs to.")),
  since: v.optional(text("From this day or time on: 2026-11-03, today, 7d, 2w, 3mo.")),
  until: v.optional(text("Up to and including this day or time.")),
  model: v.optional(text("A part of a model's name.")),
};

const SESSION = "The id of a session, the beginning of one, its name, a path, or latest.";

export const TOOL_COMMANDS: readonly ToolCommand[] = [
  {
    name: "search",
    title: "Search conversations",
    description:
      'Searches everything that was said, thought, called and printed in all pi sessions: words, "a phrase", -without, begin*, this OR that. Each hit has a handle (01a0e225:16) that `show` takes.',
    input: v.object({
      query: text("What to search for."),
      ...FILTERS,
      role: v.optional(text("Only messages of this role: user, assistant, toolResult, bashExecution.")),
      limit: few(50, 10),
    }),
    argv: ({ query, limit = 10, ...filters }) => [
      "search",
      ...options({ limit, ...filters }),
      "--",
      String(query),
    ],
    isMasked: true,
  },
  {
    name: "show",
    title: "Show a conversation",
    description:
      "Shows one session as text, or, with :LINE behind it (a handle of `search`) or `around`, one entry and its neighbours. Long sessions are cut: ask for a part.",
    input: v.object({
      session: text(`${SESSION} With :LINE only the entry there and its neighbours.`),
      around: v.optional(text("Only this entry (its id, or :LINE) and its neighbours.")),
      context: few(50, 3),
      branch: v.optional(text("The branch that this entry is on, instead of the current one.")),
    }),
    argv: ({ session, ...rest }) => ["show", ...options(rest), "--", String(session)],
    isText: true,
    isMasked: true,
  },
  {
    name: "sessions",
    title: "List sessions",
    description: "Lists sessions, last active first: id, title, project, times, models, tokens and cost.",
    input: v.object({ ...FILTERS, limit: few(100, 20) }),
    argv: ({ limit = 20, ...filters }) => ["list", "--masked", ...options({ limit, ...filters })],
    isMasked: true,
  },
  {
    name: "files",
    title: "Who touched a file",
    description: "Lists the sessions that read or changed a file, or the files of a folder, newest first.",
    input: v.object({
      path: text("A file or folder; the end of a path is enough."),
      ...FILTERS,
      limit: few(200, 50),
    }),
    argv: ({ path, model: _model, limit = 50, ...filters }) => [
      "files",
      ...options({ limit, ...filters }),
      "--",
      String(path),
    ],
  },
  {
    name: "usage",
    title: "Tokens and cost",
    description:
      "Adds up tokens and US dollars, each request once (copies in forks are left out): by day, week, month, session, project, model, provider, tool, ... The last 30 days unless `since` or `all` is given.",
    input: v.object({
      by: v.optional(v.pipe(v.picklist(USAGE_GROUPINGS), v.description("What a row is; daily unless told."))),
      all: v.optional(v.pipe(v.boolean(), v.description("Everything, not only the last 30 days."))),
      ...FILTERS,
      limit: few(500, 100),
    }),
    argv: ({ by = "daily", limit = 100, ...filters }) => [
      "usage",
      ...options({ limit, ...filters }),
      "--",
      String(by),
    ],
  },
  {
    name: "sql",
    title: "Query the index in SQL",
    description:
      "Runs one read-only SELECT on the SQLite index of all sessions (ten seconds at most). Tables and views: sessions, entries, messages, tool_calls, usage (add up counted = 1 only), session_summary, usage_daily, usage_by_model, ...: `schema` lists them with their columns.",
    input: v.object({ query: text("One SELECT."), limit: few(500, 100) }),
    argv: ({ query, limit = 100 }) => ["sql", ...options({ limit, "cell-limit": 2000 }), "--", String(query)],
  },
  {
    name: "schema",
    title: "Tables and columns",
    description:
      "Lists the tables and views that `sql` may ask, or the columns of one of them, with a sentence each.",
    input: v.object({ name: v.optional(text("A table or view.")) }),
    argv: ({ name }) => ["schema", ...(name === undefined ? [] : ["--", String(name)])],
  },
];

/** As options of a command line. */
function options(given: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}=${value}`];
  });
}
