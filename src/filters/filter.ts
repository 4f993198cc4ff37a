import type { Origin } from "../files/session-path.ts";

export const HAS = ["error", "image", "compaction", "branch", "archived"] as const;
export const ORIGINS = ["interactive", "fork", "handoff", "subagent"] as const satisfies readonly Origin[];

/** The conditions shared by list, search and usage. Absent means no condition. */
export interface Filter {
  /** An absolute directory: sessions that were held in it or below it, or elsewhere in a project that it is known for. */
  project?: string;
  /** The id of a session, the beginning of one, or the absolute path of a file. */
  session?: string;
  /** Unix ms, inclusive. */
  since?: number;
  /** Unix ms, exclusive: the end of the last day or instant that still belongs. */
  until?: number;
  /** A part of the model's name, case ignored. */
  model?: string;
  /** The provider's exact name; one that pi has renamed is known by both. */
  provider?: string;
  /** The role of a message: `user`, `assistant`, `toolResult` and others. */
  role?: string;
  /** Entry type, as in the session file. */
  type?: string;
  /** The exact name of a tool whose result, or whose call, an entry is. */
  tool?: string;
  /** The text of a label that an entry bears, case ignored. */
  label?: string;
  /** Sessions that have a name; false: those that have none. */
  named?: boolean;
  has?: (typeof HAS)[number];
  origin?: Origin;
}

/** What can be asked of calls of tools: what is said of their session, and a time. */
export type TouchFilter = Pick<Filter, "project" | "since" | "until" | "named" | "origin">;
