import { type NameOptions, resolveSession as resolve } from "../filters/resolve-session.ts";
import { LABEL_SORTS, SESSION_SORT_KEYS, type SessionList, TOUCH_SORTS } from "../reports/answers.ts";
import { type Touches, type TouchOptions, findTouches as touches } from "../reports/files-touched.ts";
import { type LabelledEntry, type LabelOptions, listLabels as labels } from "../reports/labels.ts";
import {
  type ConversationOptions,
  type ConversationPiece,
  readConversation as conversation,
  type Outline,
  type OutlineOptions,
  readOutline as outline,
} from "../reports/read-conversation.ts";
import { type ListOptions, listSessions as list } from "../reports/sessions.ts";
import { describeSchema as describe, type SchemaTable } from "../reports/sql/describe-schema.ts";
import { runSql as run, type SqlResult } from "../reports/sql/run-sql.ts";
import type { SqlLimits, SqlParameters } from "../reports/sql/sql-rows.ts";
import { type Status, type StatusOptions, readStatus as status } from "../reports/status.ts";
import type { SearchResult } from "../search/hits/hit.ts";
import { SEARCH_SORTS } from "../search/query/search-sort.ts";
import { type SearchOptions, searchEntries as search } from "../search/search.ts";
import type { IndexLocation } from "../store/location.ts";
import type { Index } from "../store/open.ts";
import type { SessionRef } from "../store/tables/session-ref.ts";
import { checkLocation, inIndex, noticingDamage } from "./open-index.ts";
import {
  arrayOf,
  assertTimezone,
  callback,
  check,
  count,
  dictionaryOf,
  flag,
  path as isPath,
  kind,
  normalized,
  oneOf,
  options as optionsOf,
  record,
  SCOPE,
  TOUCH_SCOPE,
  text,
  time,
  wholeTime,
  withAnswersChecked,
} from "./validate.ts";

const SEARCH = optionsOf({
  ...SCOPE,
  sort: oneOf(SEARCH_SORTS),
  limit: count,
  substring: flag,
  context: count,
  reveal: flag,
  now: wholeTime,
  timezone: text,
  absolutePath: callback,
});

/**
 * Searches everything that was said, in the index as it stands. A query is made of words that must all be there,
 * `"phrases"`, `-without`, `begin*`, `this OR that`, and conditions as `role:user tool:bash model:sonnet since:2w
 * label:todo has:error project:/dir origin:fork named:yes limit:5 sort:newest`, or `-role:user` for entries that do not
 * meet one. Without a word to look for, as with conditions alone, nothing is found. The answer's `behind` says how many
 * entries are not in the full text yet: `feedSearch` brings them in. Before its first call that is all of them.
 *
 * @throws SessionDbError `usage` for a query that only excludes, a condition or an option that makes no sense, and an
 *   unknown time zone; `busy`, `index_corrupt`, `io`
 */
export function searchEntries(index: Index, query: string, options: SearchOptions = {}): SearchResult {
  check("query", text, query);
  check("options", SEARCH, options);
  if (options.timezone !== undefined) assertTimezone(options.timezone);
  const asking = withAnswersChecked("options", options, { absolutePath: isPath });
  return inIndex(index, () => search(index, query, normalized(asking)));
}

const LIST = optionsOf({
  ...SCOPE,
  allSessions: flag,
  sort: record({ key: oneOf(SESSION_SORT_KEYS), descending: flag }),
  limit: count,
  offset: count,
});
const NAMES = { roots: SCOPE.roots, toPaths: callback };
const NAMING = optionsOf(NAMES);
const OUTLINE = optionsOf({ ...NAMES, branch: text });
const CONVERSATION = optionsOf({ ...NAMES, branch: text, from: count, count, reveal: flag });
const LABELS = optionsOf({ ...SCOPE, sort: oneOf(LABEL_SORTS), limit: count });
const TOUCHES = optionsOf({ ...TOUCH_SCOPE, home: isPath, sort: oneOf(TOUCH_SORTS) });
const STATUS = optionsOf({ now: wholeTime, since: time, roots: SCOPE.roots });

/**
 * Sessions with their totals, by default the last active first, from the index as it stands. `total` counts all that
 * match, whatever the limit; money is US dollars, times are ISO 8601.
 *
 * @throws SessionDbError `usage` for options that make no sense, `busy`, `index_corrupt`, `io`
 */
export function listSessions(index: Index, options: ListOptions = {}): SessionList {
  check("options", LIST, options);
  return inIndex(index, () => list(index, normalized(options)));
}

/**
 * The session a name stands for: an absolute path, an id, any unique beginning of an id, `latest` (the one that was
 * active last), or the name that it was given, or the beginning of that. A whole id wins over ids that begin with it.
 *
 * @throws SessionDbError `not_found`; `ambiguous`, whose `choices` are lines for people about the first ten candidates;
 *   `usage` for an empty name
 */
export function resolveSession(index: Index, name: string, options: NameOptions = {}): SessionRef {
  check("name", text, name);
  check("options", NAMING, options);
  const asking = withAnswersChecked("options", options, { toPaths: arrayOf(isPath) });
  return inIndex(index, () => resolve(index, name, normalized(asking)));
}

/**
 * A piece of a session's conversation: the entries of the branch it is on (or of `branch`), 50 from the first one on unless
 * `from` and `count` say otherwise, each with its line of the file, where secrets are masked unless they are to be revealed.
 *
 * @param name as `resolveSession`; with `:LINE`, the branch that this entry is on
 * @throws SessionDbError as `resolveSession`; `not_found` for an entry; `io` where the session file cannot be read
 */
export function readConversation(
  index: Index,
  name: string,
  options: ConversationOptions = {},
): ConversationPiece {
  check("name", text, name);
  check("options", CONVERSATION, options);
  const asking = withAnswersChecked("options", options, { toPaths: arrayOf(isPath) });
  return inIndex(index, () => conversation(index, name, normalized(asking)));
}

/**
 * What one looks for in a conversation: prompts, labels, compactions, and where branches leave, with what it has cost so far.
 *
 * @throws SessionDbError as `readConversation`
 */
export function readOutline(index: Index, name: string, options: OutlineOptions = {}): Outline {
  check("name", text, name);
  check("options", OUTLINE, options);
  const asking = withAnswersChecked("options", options, { toPaths: arrayOf(isPath) });
  return inIndex(index, () => outline(index, name, normalized(asking)));
}

/**
 * The labels in force, newest first, each with the entry it stands on.
 *
 * @throws SessionDbError `usage` for options that make no sense, `busy`, `index_corrupt`, `io`
 */
export function listLabels(index: Index, options: LabelOptions = {}): LabelledEntry[] {
  check("options", LABELS, options);
  return inIndex(index, () => labels(index, normalized(options)));
}

/**
 * The calls of tools that read or changed a file, or the files in a folder, by default the newest first. A relative path
 * of a tool is taken from its session's working directory. If no call was about the path, those about files whose paths
 * end in `asked` are found. `filter` may have the conditions of `sessiondb files`: project, since, until, named, origin.
 *
 * @param asked the path as the user wrote it @param path the same as an absolute path
 * @throws SessionDbError `usage` for options that make no sense, `busy`, `index_corrupt`, `io`
 */
export function findTouches(index: Index, asked: string, path: string, options: TouchOptions): Touches {
  check("asked", text, asked);
  check("path", isPath, path);
  check("options", TOUCHES, options);
  check("options.home", isPath, options.home);
  return inIndex(index, () => touches(index, asked, path, normalized(options)));
}

/**
 * An overview of the index: counts, the usage of the last 30 days, the sessions active last, sizes in bytes.
 *
 * @throws SessionDbError `usage` for options that make no sense, `busy`, `index_corrupt`, `io`
 */
export function readStatus(index: Index, options: StatusOptions): Status {
  check("options", STATUS, options);
  check("options.now", wholeTime, options.now);
  return inIndex(index, () => status(index, normalized(options)));
}

const sqlValue = kind("null, a number, a bigint, a string or a Uint8Array", isSqlValue);
const SQL = optionsOf({
  limit: count,
  cellLimit: count,
  parameters: optionsOf({ positional: arrayOf(sqlValue), named: dictionaryOf(sqlValue) }),
});

/**
 * Runs one read-only statement over the index, in this process and however long it takes. Columns with the same name
 * are told apart: `id`, `id_2`; integers beyond 2^53 are bigints. Parameters that are whole numbers are bound as
 * integers (`7 / ?` with 2 is 3), other numbers as REAL.
 *
 * @throws SessionDbError `refused` for anything that could do more than read, `sql` for what SQLite rejects,
 *   `usage` for options that make no sense, and as `openIndex`
 */
export function runSql(
  location: IndexLocation,
  sql: string,
  options: SqlLimits & { parameters?: SqlParameters } = {},
): SqlResult {
  checkLocation(location);
  check("sql", text, sql);
  check("options", SQL, options);
  return noticingDamage(location, () => run(location, sql, options));
}

/**
 * Every table and view of the index with its columns, each with a sentence.
 *
 * @throws SessionDbError `busy`, `index_corrupt`, `io`
 */
export function describeSchema(index: Index): { tables: SchemaTable[]; views: SchemaTable[] } {
  return inIndex(index, () => describe(index));
}

function isSqlValue(value: unknown): boolean {
  if (value === null || value instanceof Uint8Array) return true;
  return ["number", "bigint", "string"].includes(typeof value);
}
