import { contentForRole } from "../format/context-messages.ts";
import { drawEntryId } from "../format/ids.ts";
import type { BashExecutionMessage, CustomMessage, Message, Usage } from "../format/messages.ts";
import type {
  ContextEditEntry,
  CustomMessageEntry,
  SessionEntry,
  SessionEntryBase,
  UsageEntry,
} from "../format/types.ts";
import type { OpenSession } from "./open-session.ts";
import { SessionReader } from "./session-reader.ts";
import { currentSystemMessage } from "./system-message.ts";

/**
 * Appends to one open session. Every method adds one entry below the leaf, and that entry becomes the leaf. If it
 * cannot be written, the method throws and nothing has changed, in memory or on disk.
 *
 * The order of fields in each entry is pi's, so that the lines are the same byte for byte.
 */
export abstract class SessionWriter extends SessionReader {
  /** Summaries are not messages: they have `appendCompaction` and `branchWithSummary`. Returns the entry's id. */
  appendMessage(message: Message | CustomMessage | BashExecutionMessage): string {
    return this.append({ type: "message", ...nextEntry(this.session), message }).id;
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.append({ type: "thinking_level_change", ...nextEntry(this.session), thinkingLevel }).id;
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.append({ type: "model_change", ...nextEntry(this.session), provider, modelId }).id;
  }

  /** Tokens spent on something other than the conversation; not part of the context. Returns the entry. */
  appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): UsageEntry {
    const noted = note ? { note } : {};
    return this.append({ type: "usage", ...nextEntry(this.session), kind, provider, model, usage, ...noted });
  }

  /** @param firstKeptEntryId the first entry that stays in the context; null keeps none */
  appendCompaction<T = unknown>(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: T,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    const next = nextEntry(this.session);
    const time = new Date(next.timestamp).getTime();
    const systemMessage = currentSystemMessage(this.buildSessionContext().messages, time);
    const entry = {
      type: "compaction" as const,
      ...next,
      summary,
      firstKeptEntryId: firstKeptEntryId ?? next.id,
      tokensBefore,
      details,
      ...(usage === undefined ? {} : { usage }),
      ...(fromHook === undefined ? {} : { fromHook }),
      ...(systemMessage === undefined ? {} : { systemMessage }),
    };
    return this.append(entry).id;
  }

  /** An extension's own state; not part of the context. */
  appendCustomEntry(customType: string, data?: unknown): string {
    return this.append({ type: "custom", customType, data, ...nextEntry(this.session) }).id;
  }

  /** Names the session; an empty name clears it. */
  appendSessionInfo(name: string): string {
    const oneLine = name.replace(/[\r\n]+/g, " ").trim();
    return this.append({ type: "session_info", ...nextEntry(this.session), name: oneLine }).id;
  }

  /** A message of an extension; part of the context. `display` says whether people see it, too. */
  appendCustomMessageEntry<T = unknown>(
    customType: string,
    content: CustomMessageEntry["content"],
    display: boolean,
    details?: T,
  ): string {
    const said = { customType, content, display, details };
    return this.append({ type: "custom_message", ...said, ...nextEntry(this.session) }).id;
  }

  /**
   * Leaves an earlier entry of this branch out of the context (null), or replaces its content there.
   *
   * @throws Error, with pi's words, for an entry that is unknown, on another branch, or not seen by the model.
   */
  appendContextEdit(targetId: string, replacement: ContextEditEntry["replacement"]): string {
    checkReplacement(replacement);
    const role = this.editableRole(targetId);
    const edit = replacement && withContentForRole(replacement, role);
    return this.append({ type: "context_edit", ...nextEntry(this.session), targetId, replacement: edit }).id;
  }

  /** Sets an entry's label; undefined or an empty one clears it. */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.checkKnown(targetId);
    return this.append({ type: "label", ...nextEntry(this.session), targetId, label }).id;
  }

  /** Moves the leaf to an earlier entry: what is appended next starts another branch there. */
  branch(branchFromId: string): void {
    this.checkKnown(branchFromId);
    this.session.leafId = branchFromId;
  }

  /** Moves the leaf before the first entry: what is appended next is another root. */
  resetLeaf(): void {
    this.session.leafId = null;
  }

  /**
   * Moves the leaf as `branch` does (with null as `resetLeaf` does), and appends a summary of the branch that is left.
   */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    if (branchFromId !== null) this.checkKnown(branchFromId);
    const entry = {
      type: "branch_summary" as const,
      ...nextEntry(this.session),
      parentId: branchFromId,
      fromId: this.session.leafId ?? "root",
      summary,
      details,
      ...(usage === undefined ? {} : { usage }),
      ...(fromHook === undefined ? {} : { fromHook }),
    };
    return this.append(entry).id;
  }

  /** Writes an entry that is about to be added. Part of pi's class; not meant to be called. */
  _persist(entry: SessionEntry): void {
    if (this.place.persist) this.session.file?.append(entry, this.session.tree);
  }

  /** To the file first: an entry that cannot be written must not become the parent of one that can. */
  private append<E extends SessionEntry>(entry: E): E {
    this._persist(entry);
    this.session.tree.push(entry);
    this.session.leafId = entry.id;
    return entry;
  }

  private checkKnown(id: string): void {
    if (!this.session.tree.has(id)) throw new Error(`Entry ${id} not found`);
  }

  /** Not `#private`; no member of a manager is, because hosts may wrap one in a Proxy, as they can wrap pi's. */
  private editableRole(targetId: string): string {
    this.checkKnown(targetId);
    const { leafId, tree } = this.session;
    if (leafId === null || !tree.isOnBranch(targetId, leafId)) {
      throw new Error(`Entry ${targetId} is not on the active branch`);
    }
    const target = this.getEntry(targetId);
    if (target?.type === "custom_message") return "custom";
    const role = target?.type === "message" ? target.message.role : "";
    if (role === "user" || role === "assistant" || role === "toolResult") return role;
    throw new Error(`Entry ${targetId} does not contribute editable model content`);
  }
}

/** The fields of every entry: a new id, its parent, and the time. */
function nextEntry({ tree, leafId }: OpenSession): Omit<SessionEntryBase, "type"> {
  return { id: drawEntryId(tree), parentId: leafId, timestamp: new Date().toISOString() };
}

type Replacement = NonNullable<ContextEditEntry["replacement"]>;

/** Checked, because callers in JavaScript, and extensions, may pass anything. */
function checkReplacement(replacement: unknown): void {
  if (replacement === null) return;
  const content =
    typeof replacement === "object" && "content" in replacement ? replacement.content : undefined;
  if (typeof content === "string" || Array.isArray(content)) return;
  throw new Error("Context edit replacement must be null or contain string/array content");
}

/** The replacement itself where its content need not change: it may hold other fields. */
function withContentForRole(replacement: Replacement, role: string): Replacement {
  const content = contentForRole(role, replacement.content);
  return content === replacement.content ? replacement : { content };
}
