import { blocksOf, messageText, previewOf } from "./content.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectAt, stringOrNull } from "./json.ts";

/** What the index keeps of an entry: enough to list, filter and walk without reading the file. */
export interface EntryAttributes {
  /** Null where the file has anything but a string. */
  id: string | null;
  parentId: string | null;
  type: string;
  role: string | null;
  /** Unix ms; null where the file states no valid time. */
  timestamp: number | null;
  provider: string | null;
  model: string | null;
  toolName: string | null;
  isError: boolean;
  customType: string | null;
  targetId: string | null;
  hasImage: boolean;
  preview: string;
}

/** Reads the attributes of an entry that `upgradeEntry` has brought to version 3. */
export function attributesOf(entry: JsonObject): EntryAttributes {
  const message = messageIn(entry);
  const named = message ?? entry;
  return {
    id: stringOrNull(entry.id),
    parentId: stringOrNull(entry.parentId),
    type: stringOrNull(entry.type) ?? "",
    role: message ? stringOrNull(message.role) : null,
    timestamp: timeOf(entry.timestamp) ?? timeOf(message?.timestamp),
    provider: stringOrNull(named.provider),
    model: stringOrNull(named.model) ?? stringOrNull(entry.modelId),
    toolName: message ? stringOrNull(message.toolName) : null,
    isError: message !== null && isFailure(message),
    customType: stringOrNull(named.customType),
    targetId: stringOrNull(entry.targetId) ?? stringOrNull(entry.fromId),
    hasImage: Array.isArray(named.content) && named.content.some(isImage),
    preview: previewOf(entry),
  };
}

/** The message an entry holds; null where it is none, or holds none. */
export function messageIn(entry: JsonObject): JsonObject | null {
  return entry.type === "message" ? objectAt(entry, "message") : null;
}

/** Whether a message of a role is what a person or a model says. */
export function isSpoken(role: unknown): boolean {
  return role === "user" || role === "assistant";
}

export function isImage(block: JsonValue): boolean {
  return isJsonObject(block) && block.type === "image";
}

function isFailure(message: JsonObject): boolean {
  if (message.role === "assistant") return message.stopReason === "error";
  if (message.role === "bashExecution") return typeof message.exitCode === "number" && message.exitCode !== 0;
  return message.isError === true;
}

/** The last time that `Date` can hold, Unix ms. */
export const LAST_TIME = 8.64e15;

/** Unix ms of an ISO string or a number of ms; null for anything `Date` cannot hold. */
export function timeOf(value: unknown): number | null {
  const ms = typeof value === "string" ? Date.parse(value) : value;
  return typeof ms === "number" && Math.abs(ms) <= LAST_TIME ? Math.round(ms) : null;
}

/**
 * When a user or assistant message happened, as pi computes a session's last activity: the message's own
 * time, else the entry's. Null for other roles and for messages without content.
 */
export function activityTimeOf(entry: JsonObject): number | null {
  const message = messageIn(entry);
  if (message?.content === undefined) return null;
  if (!isSpoken(message.role)) return null;
  return typeof message.timestamp === "number" ? timeOf(message.timestamp) : timeOf(entry.timestamp);
}

/** The text of a message of a user or a model; empty for every other entry. */
export function spokenText(entry: JsonObject): string {
  const message = messageIn(entry);
  return message !== null && isSpoken(message.role) ? messageText(message) : "";
}

/** Whether entries of a type change the context of those after them: compactions and changes of settings. */
export function isContextBoundary(type: string): boolean {
  return type === "compaction" || type === "thinking_level_change" || type === "model_change";
}

export interface ToolCallAttributes {
  callId: string;
  name: string;
  /** The file the call is about, where the tool takes a path. */
  path: string | null;
}

/** The tool calls an assistant message makes, in order. */
export function toolCallsOf(entry: JsonObject): ToolCallAttributes[] {
  const message = messageIn(entry);
  if (message?.role !== "assistant") return [];
  return blocksOf(message.content)
    .filter((block) => block.type === "toolCall")
    .map((call) => ({
      callId: stringOrNull(call.id) ?? "",
      name: stringOrNull(call.name) ?? "",
      path: pathArgument(objectAt(call, "arguments") ?? {}),
    }));
}

/** How long the tool of a result has run, in milliseconds; null where pi has not measured it, as pi before 1.1. */
export function toolDurationOf(entry: JsonObject): number | null {
  const message = messageIn(entry);
  return message?.role === "toolResult" ? durationMsOf(message.durationMs) : null;
}

/** In milliseconds: a month, longer than any tool or answer takes. */
const LONGEST_SPAN = 31 * 86_400_000;

/** A duration in whole milliseconds; null for a value that is none. */
export function durationMsOf(value: JsonValue | undefined): number | null {
  return typeof value === "number" && value >= 0 && value <= LONGEST_SPAN ? Math.round(value) : null;
}

/** The names that tools give to the argument for a file. Where a call has several, the first in this order counts. */
export const PATH_ARGUMENTS: ReadonlySet<string> = new Set(["path", "file_path", "filePath"]);

/** The file that a call is about by its arguments. */
export function pathArgument(args: JsonObject): string | null {
  for (const name of PATH_ARGUMENTS) {
    const path = stringOrNull(args[name]);
    if (path !== null) return path;
  }
  return null;
}

/** The call a tool result answers, or null when the entry is not a tool result. */
export function answeredCallOf(entry: JsonObject): string | null {
  const message = messageIn(entry);
  return message?.role === "toolResult" ? stringOrNull(message.toolCallId) : null;
}

/** Whether an entry is the result of a tool that failed, which its text need not say. */
export function isFailedResult({ role, isError }: { role: string | null; isError: boolean }): boolean {
  return role === "toolResult" && isError;
}

/** The roles in which a person speaks. */
export const PERSONAL_ROLES = ["user", "bashExecution"] as const;

/**
 * Whether a person has a say in an entry: speaks, or has gone to another branch and had the one before summed up. What
 * other entries say, a process may have written that somebody had left long ago.
 */
export function isByPerson({ type, role }: { type: string; role: string | null }): boolean {
  return type === "branch_summary" || PERSONAL_ROLES.some((personal) => personal === role);
}
