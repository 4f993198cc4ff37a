import type {
  ImageContent,
  SystemMessage,
  TextContent,
  ThinkingContent,
  ToolCall,
  Usage,
} from "../../src/format/messages.ts";

/** The options of `session()`. */
export interface SessionOptions {
  id?: string;
  cwd?: string;
  /** 1: no ids, 2: `hookMessage`, 3: today. */
  version?: 1 | 2 | 3;
  /** ISO 8601; the clock starts here. */
  timestamp?: string;
  parentSession?: string;
  /** Further or overriding header fields. */
  header?: Record<string, unknown>;
}

/** Overrides fields that every entry has; any other key becomes a field of the entry. */
export interface EntryOptions {
  id?: string;
  parentId?: string | null;
  timestamp?: string | number;
  [field: string]: unknown;
}

export type Header = Record<string, unknown> & {
  type: "session";
  id: string;
  timestamp: string;
  cwd: string;
};
export type Content = string | (TextContent | ImageContent)[];
export type AssistantBlock = TextContent | ThinkingContent | ToolCall;

/** A tool call; `id` defaults to `call_<entry>_<n>`. */
export interface ToolCallPart {
  id?: string;
  name: string;
  arguments?: ToolCall["arguments"];
}

type LooseUsage = Usage | Record<string, unknown> | null;

/** Other keys become fields of the message. */
export interface AssistantParts {
  text?: string | undefined;
  thinking?: string | undefined;
  toolCalls?: ToolCallPart[] | undefined;
  /** Instead of the three above. */
  content?: AssistantBlock[];
  usage?: LooseUsage;
  model?: string;
  provider?: string;
  stopReason?: string;
  [field: string]: unknown;
}

export interface ToolResultParts {
  toolCallId?: string;
  toolName?: string | null;
  isError?: boolean;
  details?: unknown;
  usage?: LooseUsage;
  [field: string]: unknown;
}

export interface CompactionParts {
  /** The id of the first kept entry; in v1 its line index, header = 0. */
  firstKept?: string | number;
  tokensBefore?: number;
  usage?: LooseUsage;
  details?: unknown;
  fromHook?: boolean;
  systemMessage?: SystemMessage;
  [field: string]: unknown;
}

export interface UsageParts {
  provider?: string;
  model?: string;
  usage?: LooseUsage;
  note?: string;
  [field: string]: unknown;
}

export function headerOf(options: SessionOptions): Header {
  const { id = "0b5e7000-0000-7000-8000-000000000001", cwd = "/home/ada/project", version = 3 } = options;
  const { timestamp = "2025-11-20T10:00:00.000Z", parentSession, header = {} } = options;
  const before = version === 1 ? {} : { version };
  const after =
    version === 1 ? { provider: "anthropic", modelId: "claude-sonnet-4-5", thinkingLevel: "off" } : {};
  const fork = withoutUndefined({ parentSession });
  return { type: "session", ...before, id, timestamp, cwd, ...after, ...fork, ...header };
}

/** Where pi puts a session, relative to its sessions root. */
export function piPath({ cwd, timestamp, id }: Header): string {
  const folder = `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
  return `${folder}/${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`;
}

/** The `usage` field of a message or entry, or no field at all. */
export function usageField(usage: LooseUsage): { usage?: LooseUsage } {
  return usage === null ? {} : { usage };
}

/** Thinking, text and tool calls, in the order in which models write them; "ok" where none is given. */
export function assistantContent(
  { text, thinking, toolCalls = [] }: Pick<AssistantParts, "text" | "thinking" | "toolCalls">,
  entryNumber: number,
): AssistantBlock[] {
  const blocks: AssistantBlock[] = [];
  if (thinking !== undefined) blocks.push({ type: "thinking", thinking, thinkingSignature: "c2lnbmF0dXJl" });
  const spoken = text ?? (thinking === undefined && toolCalls.length === 0 ? "ok" : undefined);
  if (spoken !== undefined) blocks.push({ type: "text", text: spoken });
  for (const [n, call] of toolCalls.entries()) {
    const { id = `call_${entryNumber}_${n}`, name, arguments: args = {} } = call;
    blocks.push({ type: "toolCall", id, name, arguments: args });
  }
  return blocks;
}

export function lastToolCallOf(content: AssistantBlock[]): ToolCall | null {
  return content.filter((block) => block.type === "toolCall").at(-1) ?? null;
}

/** The same object without the keys whose value is undefined. */
export function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
