/**
 * What stands in a session file of the pi coding agent, declared once; the messages are in `messages.ts`.
 *
 * These are the shapes pi writes today (format version 3). Files are never validated by pi, so code that
 * reads a file goes through `parse.ts` and the careful accessors of `json.ts`; these types describe what
 * pi's API hands out and takes in.
 */

import type {
  AgentMessage,
  AssistantMessage,
  CustomMessage,
  ImageContent,
  SystemMessage,
  TextContent,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./messages.ts";

/** The newest format version this program writes and fully understands. */
export const CURRENT_SESSION_VERSION = 3;

export interface SessionHeader {
  type: "session";
  /** 1 when absent. */
  version?: number;
  id: string;
  /** ISO 8601 */
  timestamp: string;
  cwd: string;
  /** Path of the session file this one was forked from. */
  parentSession?: string;
}

export interface NewSessionOptions {
  id?: string;
  parentSession?: string;
}

export interface SessionEntryBase {
  type: string;
  /** Unique within one file only: forks copy ids. */
  id: string;
  /** `null` at a root. */
  parentId: string | null;
  /** ISO 8601; some writers give Unix ms. */
  timestamp: string;
}

export interface SessionMessageEntry extends SessionEntryBase {
  type: "message";
  message: AgentMessage;
}

export interface ThinkingLevelChangeEntry extends SessionEntryBase {
  type: "thinking_level_change";
  thinkingLevel: string;
}

export interface ModelChangeEntry extends SessionEntryBase {
  type: "model_change";
  provider: string;
  modelId: string;
}

export interface UsageEntry extends SessionEntryBase {
  type: "usage";
  /** What the tokens were spent on, such as `cache_warm`; an open set. */
  kind: string;
  provider: string;
  model: string;
  usage: Usage;
  note?: string;
}

export interface CompactionEntry<T = unknown> extends SessionEntryBase {
  type: "compaction";
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: T;
  usage?: Usage;
  /** True when an extension wrote the summary. */
  fromHook?: boolean;
  systemMessage?: SystemMessage;
}

export interface BranchSummaryEntry<T = unknown> extends SessionEntryBase {
  type: "branch_summary";
  fromId: string;
  summary: string;
  details?: T;
  usage?: Usage;
  fromHook?: boolean;
}

/** An extension's own state; never part of the model's context. */
export interface CustomEntry<T = unknown> extends SessionEntryBase {
  type: "custom";
  customType: string;
  data?: T;
}

/** An extension's message; part of the model's context. */
export interface CustomMessageEntry<T = unknown> extends SessionEntryBase {
  type: "custom_message";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: T;
}

export interface LabelEntry extends SessionEntryBase {
  type: "label";
  targetId: string;
  /** Absent or empty clears the label. */
  label: string | undefined;
}

export interface SessionInfoEntry extends SessionEntryBase {
  type: "session_info";
  /** Absent or empty clears the name. */
  name?: string;
}

export type ContextEditableContent =
  | UserMessage["content"]
  | AssistantMessage["content"]
  | ToolResultMessage["content"]
  | CustomMessage["content"];

/** Changes what an earlier entry contributes to the model's context, on this branch. */
export interface ContextEditEntry extends SessionEntryBase {
  type: "context_edit";
  targetId: string;
  /** `null` leaves the target out; a value replaces its content. */
  replacement: { content: ContextEditableContent } | null;
}

export type SessionEntry =
  | SessionMessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | UsageEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | ContextEditEntry
  | LabelEntry
  | SessionInfoEntry;

/** The types that pi writes; a newer pi may write others. */
export const ENTRY_TYPES = [
  "message",
  "compaction",
  "branch_summary",
  "session_info",
  "label",
  "model_change",
  "thinking_level_change",
  "custom",
  "custom_message",
  "usage",
  "context_edit",
] as const satisfies readonly SessionEntry["type"][];

export type FileEntry = SessionHeader | SessionEntry;
