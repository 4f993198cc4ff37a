import type { TotalIs } from "../find/matches.ts";

/** Where an entry stands: `path:line` opens in an editor. */
export interface HitPlace {
  session: HitPlaceSession;
  /**
   * `01a0e225:16`: the beginning of the session's id, as long as no other id begins with it, and the line; the second entry of a
   * line is `:16.2`. Commands take it as a session and an entry. With the path where no id names the session alone.
   */
  handle: string;
  /** 1-based line in the session file. */
  line: number;
}

/** What is said of the session that an entry stands in, as `Session` has it. */
interface HitPlaceSession {
  id: string;
  path: string;
  cwd: string;
  title: string;
}

/** An entry that matches. */
export interface Hit extends HitPlace {
  entryId: string | null;
  parentId: string | null;
  type: string;
  role: string | null;
  tool: string | null;
  /** Who speaks, in words for people: `assistant`, `result of bash`, `you ran`. */
  speaker: string;
  timestamp: string | null;
  /** What it says around what matched. */
  snippet: string;
  /** UTF-16 ranges of `snippet` that matched, `[start, end)`. */
  highlights: [number, number][];
  /** Whether the entry is on the branch that ends in the session's leaf. */
  onBranch: boolean;
  /** Higher is better; comparable within one answer only. */
  score: number;
  /** Where the entry stands in other sessions: forks copy what stands before them. */
  copies: HitPlace[];
  /** What was said before and after, on the same branch; where `context` was asked for. */
  context?: HitContext;
}

export interface HitContext {
  /** Oldest first, like `after`. */
  before: Neighbour[];
  after: Neighbour[];
}

/** An entry beside a hit. */
export interface Neighbour extends Pick<Hit, "entryId" | "line" | "type" | "role" | "tool" | "timestamp"> {
  /** The beginning of what it says. */
  text: string;
}

export interface SearchResult {
  /** As it was asked. */
  query: string;
  /** How many hits there are, before `limit`: an entry and its copies in forks are one. */
  total: number;
  isTotalExact: boolean;
  /**
   * `exact`; `atLeast` where a search for a substring, or for a prefix of very many words, ended before everything was
   * looked at, with enough hits or, for a prefix, when its time was over; `atMost` where more than 10,000 entries match
   * and not all were asked for: then `total` counts their copies, too.
   */
  totalIs: TotalIs;
  /** Entries that are in the index but not yet in the full text. */
  behind: number;
  /** Words that were not looked for, because the query has more than 64 and others are rarer. */
  leftOut: string[];
  /** At most `limit`, in the order of `sort`. */
  hits: Hit[];
}
