import type { Origin } from "../files/session-path.ts";
import type { Sums } from "../format/usage.ts";

/**
 * The shapes of answers: what the library returns and what `--json` prints, key for key.
 * Money is US dollars, times are ISO 8601 UTC strings, `null` means the session file does not say. What a sync answers is
 * in `src/indexing/sync-report.ts`.
 */

/** A session with its totals. */
export interface Session {
  id: string;
  /** The session file, as it is reached through its root; of an archived session where it was, and will be again. */
  path: string;
  /** Whether it lies packed in the archive. */
  archived: boolean;
  /** The working directory the header states; empty when it states none. */
  cwd: string;
  /**
   * The directory of its project: that of the repository whose worktree it was held in, the one that it was moved to. The
   * working directory where no command has looked at that yet; the library does not look.
   */
  project: string;
  /** The working directory is not there, so the session cannot simply be resumed. */
  isCwdGone: boolean;
  /** Where pi can go on with it: the working directory, else that of its project; null where neither is there. */
  resumeCwd: string | null;
  name: string | null;
  /** The name, else the beginning of the first question that a person has asked: without what programs wrote around it. */
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
  /** The session it comes from: its parent's path in the index, else the one its header states. */
  parentPath: string | null;
  /** The session of a person that it belongs to: its own path, unless it is a sub-agent's. */
  rootPath: string;
  /** Name of the sub-agent whose session it is; null for sessions of people. */
  agent: string | null;
  /** Sessions of sub-agents that belong to it, and what counts in them, in US dollars. */
  subagents: { sessions: number; cost: number };
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
