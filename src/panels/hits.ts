import { type CommandLine, CommandLineError } from "./command-line.ts";
import { type Json, numberOf, objectOf, objectsIn, textOf } from "./json-document.ts";
import { oneLine, realPathOf } from "./text.ts";

/** The places of the searched words in a text, as UTF-16 ranges `[start, end)`. */
export type Highlights = readonly (readonly [number, number])[];

/** An entry that matches. */
export interface Hit {
  title: string;
  cwd: string;
  path: string;
  /** `01a0e225:16`, which names the entry to the command line; `path:line` where the program is older. */
  handle: string;
  /** Empty where the entry has none. */
  entryId: string;
  /** 1-based line of the session file. */
  line: number;
  /** The tool whose call or result the entry is; empty for other entries. */
  tool: string;
  /** Whose words they are: `user`, `assistant`, `toolResult bash`. */
  speaker: string;
  /** ISO 8601; empty where the file states none. */
  time: string;
  snippet: string;
  highlights: Highlights;
}

export interface HitList {
  /** How many there are, without those that are left out; where not all were seen, more of them may have to be. */
  total: number;
  totalIs: "exact" | "atLeast" | "atMost";
  hits: Hit[];
  /** What is to be known about them, each on one line: that new entries are missing, that there is no such role. */
  notes: string[];
}

/** The tool for the model. Its earlier answers are no hits: they repeat words from elsewhere. */
export const SEARCH_TOOL = "session_search";
/** How many more hits are asked for, to make up for those that are left out. */
const SPARE_HITS = 20;

export interface HitQuestion {
  query: string;
  limit: number;
  /** The session file of a conversation that is also left out. */
  except?: string | undefined;
  /** Options of `sessiondb search`. */
  options: string[];
  cwd: string;
  signal?: AbortSignal | undefined;
}

/** @throws CommandLineError */
export async function findHits(commandLine: CommandLine, question: HitQuestion): Promise<HitList> {
  const { query, limit, options, cwd, signal } = question;
  const named = HANDLE.test(query.trim()) ? await hitNamed(commandLine, question) : undefined;
  if (named !== undefined) return { total: 1, totalIs: "exact", hits: [named], notes: [] };
  const isWanted = wantedBy(question);
  // All of the best hits may be left out: more are asked for until there are enough.
  for (let asked = limit + SPARE_HITS; ; asked *= 10) {
    const words = ["search", "--limit", String(asked), ...options, "--", query];
    const { document: found, notes } = await commandLine.answer(words, { cwd, signal });
    const all = objectsIn(found.hits);
    const hits = all.map(hitOf).filter(isWanted);
    if (hits.length < limit && all.length >= asked) continue;
    const total = numberOf(found.total) - (all.length - hits.length);
    const seen = all.length >= numberOf(found.total) ? "exact" : "atMost";
    const totalIs = textOf(found.totalIs) === "atLeast" ? "atLeast" : seen;
    return { total, totalIs, hits: bySession(hits.slice(0, limit)), notes };
  }
}

/** `01a0e225:16`. Ids of pi's begin with eight digits of base 16; `main.ts:16` is no handle. */
const HANDLE = /^[0-9a-f]{8}[0-9a-f-]*:\d+(?:\.\d+)?$/i;

/** The entry that a handle names, as if it had been found; undefined where there is none. */
async function hitNamed(
  commandLine: CommandLine,
  { query, options, cwd, signal }: HitQuestion,
): Promise<Hit | undefined> {
  const handle = query.trim();
  const freshness = options.filter((option) => option === "--no-sync");
  try {
    const words = ["show", handle, "--context", "0", ...freshness];
    const { session, entries } = await commandLine.ask(words, { cwd, signal });
    const [entry] = objectsIn(entries);
    if (entry === undefined) return undefined;
    const { role, toolName, content } = objectOf(entry.message);
    const line = Number.parseInt(handle.slice(handle.indexOf(":") + 1), 10);
    const { type, timestamp, id } = entry;
    return hitOf({
      session,
      handle,
      line,
      type,
      entryId: id,
      role,
      tool: toolName,
      timestamp,
      snippet: textIn(content),
    });
  } catch (error) {
    if (!(error instanceof CommandLineError) || error.code !== "not_found") throw error;
    return undefined;
  }
}

/** What a message says: its content, or the texts in that. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ text, thinking }) => textOf(text) || textOf(thinking))
    .join(" ");
}

/** Hits of one session side by side, in the place of the first of them. */
function bySession(hits: readonly Hit[]): Hit[] {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const group = groups.get(hit.path);
    if (group === undefined) groups.set(hit.path, [hit]);
    else group.push(hit);
  }
  return [...groups.values()].flat();
}

/** `12`, `up to 12`, `at least 12`. */
export function totalText({ total, totalIs }: Pick<HitList, "total" | "totalIs">): string {
  return { exact: "", atLeast: "at least ", atMost: "up to " }[totalIs] + total;
}

/** Whether a hit counts: not the tool's own answers, and nothing from the conversation that is left out. */
function wantedBy({ except }: HitQuestion): (hit: Hit) => boolean {
  if (except === undefined) return ({ tool }) => tool !== SEARCH_TOOL;
  const realExcept = realPathOf(except);
  const known = new Map<string, boolean>();
  return ({ path, tool }) => {
    let isExcept = known.get(path);
    if (isExcept === undefined) {
      isExcept = realPathOf(path) === realExcept;
      known.set(path, isExcept);
    }
    return tool !== SEARCH_TOOL && !isExcept;
  };
}

function hitOf(json: Json): Hit {
  const session = objectOf(json.session);
  const path = textOf(session.path);
  const line = numberOf(json.line);
  return {
    title: oneLine(textOf(session.title)) || "(empty)",
    cwd: textOf(session.cwd),
    path,
    handle: oneLine(textOf(json.handle)) || `${path}:${line}`,
    entryId: textOf(json.entryId),
    line,
    speaker: oneLine(textOf(json.speaker)),
    tool: textOf(json.tool),
    time: textOf(json.timestamp),
    snippet: textOf(json.snippet),
    highlights: highlightsOf(json.highlights),
  };
}

function highlightsOf(value: unknown): Highlights {
  if (!Array.isArray(value)) return [];
  return value.flatMap((range: unknown) =>
    Array.isArray(range) ? [[numberOf(range[0]), numberOf(range[1])] as const] : [],
  );
}

/** `path:line`, which editors open. */
export function placeOf({ path, line }: Hit): string {
  return `${path}:${line}`;
}

const LAST_WORD = /(?:^|[\s(])(?!(?:AND|OR|NOT)$)[\p{L}\p{M}\p{N}_]{2,}$/u;
/** Scripts written without spaces: to the full text each character is a word, so none can go on. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}〆ーｰﾞﾟ\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

/** A query that is still being typed: its last word may go on, so it is made a prefix. */
export function asPrefix(typed: string): string {
  const isInPhrase = (typed.match(/["\u201c-\u201f\uff02]/g) ?? []).length % 2 === 1;
  // What is to be left out is still being typed: a letter behind a dash would be an error.
  const query = isInPhrase ? typed : typed.replace(/(^|\s)-[A-Za-z0-9]?$/, "$1");
  return !isInPhrase && LAST_WORD.test(query) && !UNSPACED.test(query) ? `${query}*` : query;
}
