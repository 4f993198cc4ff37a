/**
 * The shapes of answers: what the library returns and what `--json` prints, key for key.
 * Money is US dollars, times are ISO 8601 UTC strings, `null` means the session file does not say. What a sync answers is
 * in `sync/report.ts`.
 */
import type { Sums } from "../format/usage.ts";

export type Origin = "interactive" | "fork" | "subagent";

/** A session with its totals. */
export interface Session {
  id: string;
  /** The session file, as it is reached through its root. */
  path: string;
  /** The working directory the header states; empty when it states none. */
  cwd: string;
  name: string | null;
  /** The name, else the beginning of the first message. */
  title: string;
  firstMessage: string | null;
  createdAt: string | null;
  /** When a person or model last said something; where nobody did, as `SessionInfo.modified`. */
  modifiedAt: string;
  /** Entries of type `message`. */
  messageCount: number;
  entryCount: number;
  /** Leaves of the tree: 1 for a conversation that never branched, 0 for an empty one. */
  branchCount: number;
  /** The last entry in the file, at which the session goes on. */
  leafId: string | null;
  /** Of the session format: 1 to 3. */
  version: number;
  origin: Origin;
  parentSessionPath: string | null;
  models: string[];
  sizeBytes: number;
  /** Everything this session holds. */
  usage: Sums;
  /** The part of `usage` that was copied from another session and is counted there. */
  inherited: Sums;
}

export interface SessionList {
  /** How many match, before `limit`. */
  total: number;
  sessions: Session[];
}

/** What a list can be sorted by. */
export const SESSION_SORT_KEYS = [
  "modified",
  "created",
  "cost",
  "tokens",
  "messages",
  "size",
  "title",
] as const;
export type SessionSortKey = (typeof SESSION_SORT_KEYS)[number];

export const LABEL_SORTS = ["newest", "oldest"] as const;
export type LabelSort = (typeof LABEL_SORTS)[number];

/** Which calls that touched a file come first. */
export const TOUCH_SORTS = ["newest", "oldest"] as const;
export type TouchSort = (typeof TOUCH_SORTS)[number];

/** Where an entry stands: `path:line` opens in an editor. */
export interface HitPlace {
  session: Pick<Session, "id" | "path" | "cwd" | "title">;
  /** 1-based line in the session file. */
  line: number;
}

/** An entry that matches. */
export interface Hit extends HitPlace {
  entryId: string | null;
  parentId: string | null;
  type: string;
  role: string | null;
  tool: string | null;
  timestamp: string | null;
  /** What it says around what matched. */
  snippet: string;
  /** UTF-16 ranges of `snippet` that matched, `[start, end)`. */
  highlights: [number, number][];
  /** Whether the entry is on the branch that ends in the session's leaf. */
  onBranch: boolean;
  /** Higher is better; comparable within one answer only. */
  score: number;
  /** The same entry in other sessions: forks copy what stands before them. */
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
export interface Neighbour {
  entryId: string | null;
  /** 1-based line in the session file. */
  line: number;
  type: string;
  role: string | null;
  tool: string | null;
  timestamp: string | null;
  /** The beginning of what it says. */
  text: string;
}

export interface SearchResult {
  /** As it was asked. */
  query: string;
  /** How many entries match, before `limit`, copies in forks included. */
  total: number;
  /**
   * False where a search for a substring, or for the beginning of very many words, ended with enough hits: then there
   * are at least `total`.
   */
  isTotalExact: boolean;
  /** Entries that are in the index but not yet in the full text. */
  behind: number;
  /** At most `limit`, in the order of `sort`. */
  hits: Hit[];
}

/** Groupings whose rows are times. */
export const USAGE_PERIODS = ["hourly", "daily", "weekly", "monthly"] as const;
export const USAGE_GROUPINGS = [
  ...USAGE_PERIODS,
  "session",
  "project",
  "model",
  "provider",
  "source",
  "tool",
  "label",
  "branch",
] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Sums, and what follows from them. */
export interface UsageFigures extends Sums {
  /** Requests that state tokens and no cost: they are not free, nobody knows their price. */
  unpriced: number;
  /** The share of all input that was read from the prompt cache, 0 to 1; null without input. */
  cacheHitRate: number | null;
  /**
   * US dollars the prompt cache saved: what was read from it and written to it at the price of plain input, less
   * what reading and writing cost. The price is the one the files state (cost of input by tokens of input, model
   * by model); null where no model has one. Writing costs more than reading saves when a cache is hardly used.
   */
  cacheSavings: number | null;
}

export interface UsageRow extends UsageFigures {
  /**
   * By grouping: a period (`2026-11-03T14:00+01:00`, `2026-11-03`, the first day of a week, `2026-11`), a session
   * id, project directory, model, provider or source; the tool whose result holds the usage; the label it stands
   * under; `current` or `abandoned` by branch. `unknown` where the file does not say, `none` without tool or label.
   */
  key: string;
  /** For people: the session's title; absent where the key says it all. */
  label?: string;
  /** The session file, where the rows are sessions. */
  path?: string;
  /** The same by model, dearest first, where a breakdown was asked for. */
  models?: UsageRow[];
  /** The first and the last request, where times were asked for; null where no request states one. */
  firstAt?: string | null;
  lastAt?: string | null;
  /** Cost in equal slices of the report's time, where a trend was asked for. */
  trend?: number[];
}

export interface UsageReport {
  by: UsageGrouping;
  timezone: string;
  /**
   * First and last day of the report (`2026-11-03`), or instant where it is not of whole days (ISO 8601 UTC), both included;
   * null where it is open.
   */
  since: string | null;
  until: string | null;
  rows: UsageRow[];
  totals: Sums;
  /** What copies in forks hold and `totals` leaves out, because it was spent once. */
  copies: Sums;
  /** Of the totals, as in a row. */
  unpriced: number;
  cacheHitRate: number | null;
  cacheSavings: number | null;
}

/** Where the index is not what the session files say. */
export interface Difference {
  path: string;
  what: string;
}
