/**
 * What stands in a session file of the pi coding agent, declared once.
 *
 * These are the shapes pi writes today (format version 3). Files are never validated by pi, so code that
 * reads a file goes through `parse.ts` and the careful accessors of `json.ts`; these types describe what
 * pi's API hands out and takes in.
 */

/** The newest format version this program writes and fully understands. */
export const CURRENT_SESSION_VERSION = 3;

export interface TextContent {
  type: "text";
  text: string;
  textSignature?: string;
}

export interface ImageContent {
  type: "image";
  /** base64 */
  data: string;
  mimeType: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
  redacted?: boolean;
}

/** What JSON can hold, in pi's words. */
export type PlainJson =
  | null
  | boolean
  | number
  | string
  | readonly PlainJson[]
  | { [name: string]: PlainJson };

export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: { [name: string]: PlainJson };
  thoughtSignature?: string;
  namespace?: string;
  /** Where the model has sent no JSON object for arguments: what was wrong, with what it sent. */
  argumentsError?: string;
}

/** Tokens and US dollars of one model call. `reasoning` is part of `output`, `cacheWrite1h` of `cacheWrite`. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h?: number;
  reasoning?: number;
  totalTokens: number;
  cost: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    total: number;
    /** True where `total` is what the provider has billed, and need not be the sum of the others. */
    totalFromProvider?: boolean;
  };
}

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  /** Unix ms, as in every message. */
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  /** Newer programs may state others; those are kept as they are. */
  stopReason: "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";
  errorMessage?: string;
  responseModel?: string;
  responseId?: string;
  /** Asked for, in pi's words; newer programs may have others. */
  thinkingLevel?: "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  timestamp: number;
  /** Milliseconds that the request took. */
  durationMs?: number;
}

/** A call that a tool made of another one while it ran. */
export interface NestedToolCallRecord {
  id: string;
  name: string;
  /** Left out where they were too large; then `argumentsBytes` says how large. */
  arguments?: { [name: string]: PlainJson };
  argumentsBytes?: number;
  status: "ok" | "error" | "unfinished";
  durationMs?: number;
  error?: string;
}

export interface NestedToolCalls {
  calls: NestedToolCallRecord[];
  /** False where not all is told of them. */
  complete: boolean;
}

export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  details?: PlainJson;
  isError: boolean;
  usage?: Usage;
  nestedCalls?: NestedToolCalls;
  timestamp: number;
  /** Milliseconds that the tool ran. */
  durationMs?: number;
}

/** A tool as the model is told of it. */
export interface Tool {
  name: string;
  description: string;
  /** A JSON schema. */
  parameters: object;
}

export interface SystemMessage {
  role: "system";
  content: string | TextContent[];
  /** By name; null removes one. */
  sections?: Record<string, string | null>;
  toolsAdded?: Tool[];
  toolsRemoved?: { name: string }[];
  timestamp: number;
}

export interface BashExecutionMessage {
  role: "bashExecution";
  command: string;
  output: string;
  exitCode: number | undefined;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp: number;
}

export interface CustomMessage<T = unknown> {
  role: "custom";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: T;
  timestamp: number;
}

export interface BranchSummaryMessage {
  role: "branchSummary";
  summary: string;
  fromId: string | null;
  timestamp: number;
}

export interface CompactionSummaryMessage {
  role: "compactionSummary";
  summary: string;
  tokensBefore: number;
  timestamp: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage | SystemMessage;

export type AgentMessage =
  | Message
  | BashExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

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

/** Those pi writes; a newer one may write others. */
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
