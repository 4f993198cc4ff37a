import {
  activityTimeOf,
  answeredCallOf,
  type EntryFacts,
  factsOf,
  spokenText,
  type ToolCallFacts,
  toolCallsOf,
  toolDurationOf,
} from "./entry.ts";
import { type JsonObject, stringOrNull } from "./json.ts";
import { keptOf } from "./long-text.ts";
import { type NestedCallFacts, nestedCallsOf } from "./nested-calls.ts";
import { isIrregularEntry } from "./round-trip.ts";
import { type EntryUsage, usageOf } from "./usage.ts";

/**
 * Everything the index keeps of one entry. Its rows are made from this, from its place in the file and from the entries
 * before it; the line, and what was parsed from it, are not needed any more.
 */
export interface EntryDigest {
  facts: EntryFacts;
  /** The text of a message of a user or a model, as `facts.role` says, as far as it is kept; empty for every other entry. */
  spoken: string;
  /** The time of such a message, in Unix ms; null for every other entry. */
  activityAt: number | null;
  /** Whether rows cannot give the entry back exactly. */
  irregular: boolean;
  /** The label of a `label`, the session's name of a `session_info`; null clears it. */
  given: string | null;
  /** Calls that an assistant message makes, in order. */
  calls: readonly ToolCallFacts[];
  /** The call a tool result answers. */
  answers: string | null;
  /** For a tool result, how long the tool has run, in ms; null where the result does not say. */
  ranMs: number | null;
  /** For a tool result, the calls of other tools that its tool has made, in order. */
  nested: readonly NestedCallFacts[];
  usage: EntryUsage | null;
}

/** @param entry as `upgradeEntry` gives it */
export function digestOf(entry: JsonObject): EntryDigest {
  const facts = factsOf(entry);
  const spoken = spokenText(entry);
  const kept = keptOf(spoken);
  const isMessage = facts.type === "message";
  const isResult = facts.role === "toolResult";
  return {
    facts,
    spoken: kept,
    activityAt: isMessage ? activityTimeOf(entry) : null,
    irregular: kept !== spoken || isIrregularEntry(entry),
    given: isMessage ? null : givenBy(entry),
    calls: facts.role === "assistant" ? toolCallsOf(entry) : [],
    answers: isResult ? answeredCallOf(entry) : null,
    ranMs: isResult ? toolDurationOf(entry) : null,
    nested: isResult ? nestedCallsOf(entry) : [],
    usage: usageOf(entry),
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
export function digestOfHead(head: JsonObject): EntryDigest {
  return { ...UNREAD, facts: factsOf(head), answers: answeredCallOf(head) };
}

/** The same for a line that does not even begin like an entry: nothing beside its place is known. */
export const UNREAD: EntryDigest = {
  facts: {
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
  irregular: true,
  given: null,
  calls: [],
  answers: null,
  ranMs: null,
  nested: [],
  usage: null,
};
