import { type BillName, billNameOf } from "./billing-key.ts";
import { keptOf } from "./content.ts";
import {
  activityTimeOf,
  answeredCallOf,
  attributesOf,
  type EntryAttributes,
  isSpoken,
  LAST_TIME,
  spokenText,
  type ToolCallAttributes,
  toolCallsOf,
  toolDurationOf,
} from "./entry.ts";
import { isJsonObject, type JsonObject, type JsonValue, stringOrNull } from "./json.ts";
import { type NestedCallAttributes, nestedCallsOf } from "./nested-calls.ts";
import { type SubagentRun, subagentsOf } from "./subagents.ts";
import { type EntryUsage, usageOf } from "./usage.ts";

/**
 * Everything the index keeps of one entry. Its rows are made from this, from its place in the file and from the entries
 * before it; the line, and what was parsed from it, are not needed any more.
 */
export interface EntryRecord {
  attributes: EntryAttributes;
  /** The text of a message of a user or a model, as `attributes.role` says, as far as it is kept; empty for every other entry. */
  spoken: string;
  /** The time of such a message, in Unix ms; null for every other entry. */
  activityAt: number | null;
  /** Whether rows can give the entry back exactly. */
  roundTrips: boolean;
  /** The label of a `label`, the session's name of a `session_info`; null clears it. */
  given: string | null;
  /** Calls that an assistant message makes, in order. */
  calls: readonly ToolCallAttributes[];
  /** The call a tool result answers. */
  answers: string | null;
  /** For a tool result, how long the tool has run, in ms; null where the result does not say. */
  ranMs: number | null;
  /** For a tool result, the calls of other tools that its tool has made, in order. */
  nested: readonly NestedCallAttributes[];
  usage: EntryUsage | null;
  /** What the request that `usage` is of is known by; null without usage. */
  bill: BillName | null;
  /** Runs of sub-agents that a tool result tells of. */
  subagents: readonly SubagentRun[];
}

/**
 * @param entry as `upgradeEntry` gives it
 * @param name what the entry is called where it has no id
 */
export function recordOf(entry: JsonObject, name = ""): EntryRecord {
  const attributes = attributesOf(entry);
  const spoken = spokenText(entry);
  const kept = keptOf(spoken);
  const isMessage = attributes.type === "message";
  const isResult = attributes.role === "toolResult";
  const calls = attributes.role === "assistant" ? toolCallsOf(entry) : [];
  const answers = isResult ? answeredCallOf(entry) : null;
  const usage = usageOf(entry);
  const callIds = isResult ? [answers ?? ""] : calls.map(({ callId }) => callId);
  const { id, timestamp } = attributes;
  return {
    attributes,
    spoken: kept,
    activityAt: isMessage ? activityTimeOf(entry) : null,
    roundTrips: kept === spoken && entryRoundTrips(entry),
    given: isMessage ? null : givenBy(entry),
    calls,
    answers,
    ranMs: isResult ? toolDurationOf(entry) : null,
    nested: isResult ? nestedCallsOf(entry) : [],
    usage,
    bill: usage && billNameOf(entry, { id: id ?? name, timestamp, spoken: kept, callIds }),
    // What a person or a model says tells of no run.
    subagents: isSpoken(attributes.role) ? [] : subagentsOf(entry),
  };
}

/** An empty label or name counts as none: it clears. */
function givenBy(entry: JsonObject): string | null {
  switch (entry.type) {
    case "label":
      return stringOrNull(entry.label) || null;
    case "session_info":
      return stringOrNull(entry.name)?.trim() || null;
    default:
      return null;
  }
}

/** What the index keeps of a line too long to be decoded. `head` is from `headOf`, then upgraded by `upgradeEntry`. */
export function recordOfHead(head: JsonObject): EntryRecord {
  return { ...UNREAD, attributes: attributesOf(head), answers: answeredCallOf(head) };
}

/** Of a line that does not even begin like an entry nothing beside its place is known. */
export const UNREAD: EntryRecord = {
  attributes: {
    id: null,
    parentId: null,
    type: "",
    role: null,
    timestamp: null,
    provider: null,
    model: null,
    toolName: null,
    isError: false,
    customType: null,
    targetId: null,
    hasImage: false,
    preview: "",
  },
  spoken: "",
  activityAt: null,
  roundTrips: false,
  given: null,
  calls: [],
  answers: null,
  ranMs: null,
  nested: [],
  usage: null,
  bill: null,
  subagents: [],
};

/*
 * Which lines rows of the index can give back exactly. Sessions with any others are read from their files; pi and this
 * program have written none.
 */

/** `timestamp` has to be a time, and `parentSession`, if there, a string: both are handed out just as they stand. */
export function headerRoundTrips(header: JsonObject): boolean {
  const { id, timestamp, cwd, parentSession } = header;
  if (typeof timestamp !== "string" || Number.isNaN(Date.parse(timestamp))) return false;
  if (parentSession !== undefined && typeof parentSession !== "string") return false;
  return typeof cwd === "string" && [id, cwd, parentSession].every(isStorable);
}

/** `entry` as `upgradeEntry` gives it. */
function entryRoundTrips(entry: JsonObject): boolean {
  // For pi a second header is no entry, wherever it stands.
  if (typeof entry.type !== "string" || entry.type === "session") return false;
  // An empty id counts as none where an id is looked for.
  if (typeof entry.id !== "string" || entry.id === "" || !isTextOrNothing(entry.parentId)) return false;
  if (!isStorable(entry.id) || !isStorable(entry.parentId) || !isStorable(entry.type)) return false;
  switch (entry.type) {
    case "message":
      return isJsonObject(entry.message) && messageRoundTrips(entry.message, entry.timestamp);
    case "session_info":
      return isTextOrNothing(entry.name) && isStorable(entry.name);
    case "label":
      return typeof entry.targetId === "string" && isStorable(entry.targetId);
    default:
      return true;
  }
}

function messageRoundTrips(message: JsonObject, entryTime: JsonValue | undefined): boolean {
  const { role, content, timestamp } = message;
  if (typeof role !== "string" || !isStorable(role)) return false;
  if (!isSpoken(role)) return true;
  return isExactTime(timestamp) && isExactTime(entryTime) && isPlainContent(content);
}

/** Text, or a list of blocks in which every text block has a text. */
function isPlainContent(content: JsonValue | undefined): boolean {
  if (typeof content === "string") return isStorable(content);
  return Array.isArray(content) && content.every(isPlainBlock);
}

function isPlainBlock(block: JsonValue): boolean {
  if (!isJsonObject(block)) return false;
  return block.type !== "text" || (typeof block.text === "string" && isStorable(block.text));
}

/** Whole milliseconds, or a text, which pi and the index alike leave to `Date.parse`. */
function isExactTime(value: JsonValue | undefined): boolean {
  if (value === undefined || typeof value === "string") return true;
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= LAST_TIME;
}

function isTextOrNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === "string";
}

/** SQLite keeps text as UTF-8, which has no lone surrogates, and some of its functions end a text at NUL. */
function isStorable(value: JsonValue | undefined): boolean {
  return typeof value !== "string" || (value.isWellFormed() && !value.includes("\0"));
}
