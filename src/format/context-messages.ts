/** What one entry contributes to the model's context. */
import type {
  AgentMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  CustomMessage,
} from "./messages.ts";
import { uncheckedMessage } from "./parse.ts";
import type {
  BranchSummaryEntry,
  CompactionEntry,
  ContextEditableContent,
  ContextEditEntry,
  CustomMessageEntry,
  SessionEntry,
  SessionEntryBase,
} from "./types.ts";

export interface ProjectedSessionEntry {
  sourceEntry: SessionEntry;
  /**
   * What the model sees of the entry, after edits; empty for settings, for entries that an edit leaves out and the
   * like.
   */
  messages: AgentMessage[];
}

/** Types of entries that become messages or change one; the model sees nothing of other types. */
export const SHAPES_CONTEXT: ReadonlySet<string> = new Set([
  "message",
  "custom_message",
  "branch_summary",
  "compaction",
  "context_edit",
]);

/** The entries of a context, in its order, with their messages; the latest edit of each target applies. */
export function projectEntries(contextEntries: readonly SessionEntry[]): ProjectedSessionEntry[] {
  const edits = new Map<string, ContextEditEntry>();
  for (const entry of contextEntries) {
    if (entry.type === "context_edit") edits.set(entry.targetId, entry);
  }
  return contextEntries.map((sourceEntry, position) => ({
    sourceEntry,
    // The compaction in force stands first; older ones inside the kept range are covered by it.
    messages:
      sourceEntry.type === "compaction" && position > 0
        ? []
        : projectContextEntry(sourceEntry, edits.get(sourceEntry.id)),
  }));
}

/** The messages of one entry with an edit applied: left out, or their content replaced. */
export function projectContextEntry(entry: SessionEntry, edit: ContextEditEntry | undefined): AgentMessage[] {
  const messages = sessionEntryToContextMessages(entry);
  if (edit === undefined) return messages;
  const { replacement } = edit;
  if (replacement === null) return [];
  return messages.map((message) => withContent(message, replacement.content));
}

const EDITABLE_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult", "custom"]);

function withContent(message: AgentMessage, content: ContextEditableContent): AgentMessage {
  if (!EDITABLE_ROLES.has(message.role)) return message;
  return uncheckedMessage({ ...message, content: contentForRole(message.role, content) });
}

/** Messages of models and tools hold blocks only: for them a plain string becomes a block. */
export function contentForRole(role: string, content: ContextEditableContent): ContextEditableContent {
  const blocksOnly = role === "assistant" || role === "toolResult";
  return blocksOnly && typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The messages of one entry before any edit; none for entries that are not part of the context. */
export function sessionEntryToContextMessages(entry: SessionEntry): AgentMessage[] {
  switch (entry.type) {
    case "message":
      return [withoutMissingContent(entry.message)];
    case "custom_message":
      return [customMessage(entry)];
    case "branch_summary":
      return entry.summary ? [branchSummary(entry)] : [];
    case "compaction":
      return entry.systemMessage
        ? [entry.systemMessage, compactionSummary(entry)]
        : [compactionSummary(entry)];
    default:
      return [];
  }
}

/** Old and hand-edited files hold messages without content; the model layer needs one. */
function withoutMissingContent(message: AgentMessage): AgentMessage {
  switch (message.role) {
    case "system":
      return message.content == null ? { ...message, content: "" } : message;
    case "user":
    case "assistant":
    case "toolResult":
      return message.content == null ? { ...message, content: [] } : message;
    default:
      return message;
  }
}

function customMessage(entry: CustomMessageEntry): CustomMessage {
  const { customType, content, display, details } = entry;
  return { role: "custom", customType, content: content ?? [], display, details, timestamp: msOf(entry) };
}

function branchSummary(entry: BranchSummaryEntry): BranchSummaryMessage {
  return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp: msOf(entry) };
}

function compactionSummary(entry: CompactionEntry): CompactionSummaryMessage {
  const { summary, tokensBefore } = entry;
  return { role: "compactionSummary", summary, tokensBefore, timestamp: msOf(entry) };
}

/** Unix ms; NaN for an invalid time, as in pi. */
function msOf(entry: SessionEntryBase): number {
  return new Date(entry.timestamp).getTime();
}
