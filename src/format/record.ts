import { type BillName, billNameOf } from "./billing-key.ts";
import { keptOf } from "./content.ts";
import {
  activityTimeOf,
  answeredCallOf,
  attributesOf,
  type EntryAttributes,
  spokenText,
  type ToolCallAttributes,
  toolCallsOf,
  toolDurationOf,
} from "./entry.ts";
import { type JsonObject, stringOrNull } from "./json.ts";
import { type NestedCallAttributes, nestedCallsOf } from "./nested-calls.ts";
import { entryRoundTrips } from "./round-trip.ts";
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
    subagents: subagentsOf(entry),
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
