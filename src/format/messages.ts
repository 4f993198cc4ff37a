/**
 * The messages of a conversation, as pi's API hands them out and takes them in, declared once. What `types.ts` says of
 * its shapes holds for them, too.
 */

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
type PlainJson = null | boolean | number | string | readonly PlainJson[] | { [name: string]: PlainJson };

export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: { [name: string]: PlainJson };
  thoughtSignature?: string;
  namespace?: string;
  /** Where the arguments that the model has sent are no JSON object: what is wrong, and what it has sent. */
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
    /** True where `total` is what the provider has billed; then it need not be the sum of the others. */
    totalFromProvider?: boolean;
  };
}

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  /** Unix ms, as in every message. */
  timestamp: number;
}

/** Something that went wrong, or was done about it, while a response was made. */
export interface AssistantMessageDiagnostic {
  type: string;
  /** Unix ms. */
  timestamp: number;
  error?: { name?: string; message: string; stack?: string; code?: string | number };
  details?: { [name: string]: PlainJson };
}

/** By what a response that is still to come can be fetched from its provider. */
export interface DeferredHandle {
  provider: string;
  modelId: string;
  api: string;
  /** The provider's own name of it. */
  id: string;
  /** Unix ms. */
  expiresAt?: number;
  pollAfterMs?: number;
  data?: PlainJson;
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
  /** Where `stopReason` is `deferred`. */
  deferred?: DeferredHandle;
  /** In the provider's words. */
  rawStopReason?: string;
  /** Whether the model has said that it is done; some providers tell. */
  endTurn?: boolean;
  errorMessage?: string;
  diagnostics?: AssistantMessageDiagnostic[];
  responseModel?: string;
  responseId?: string;
  /** The level that was asked for, in pi's words; newer programs may have others. */
  thinkingLevel?: "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** The level that the provider was given, in its words. */
  providerThinkingLevel?: string;
  timestamp: number;
  /** Milliseconds that the request took. */
  durationMs?: number;
}

/** A call of another tool that a tool made while it ran. */
export interface NestedToolCallRecord {
  id: string;
  name: string;
  /** Absent where they were too large; then `argumentsBytes` says how large. */
  arguments?: { [name: string]: PlainJson };
  argumentsBytes?: number;
  status: "ok" | "error" | "unfinished";
  durationMs?: number;
  error?: string;
}

export interface NestedToolCalls {
  calls: NestedToolCallRecord[];
  /** False where calls, or parts of them, are missing. */
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

/** A tool as it is described to the model. */
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
