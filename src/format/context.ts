/**
 * Which entries of a branch the model sees. The rules are those of pi 0.87.1 and 1.6.0; test/session-manager compares the two.
 *
 * The decision needs little of an entry (id, type, role), the messages need whole bodies. `ContextView`
 * keeps the two apart, so that an index can decide by its columns and read only the bodies that count.
 */
import { type ProjectedSessionEntry, projectEntries, SHAPES_CONTEXT } from "./context-messages.ts";
import type { AgentMessage } from "./messages.ts";
import type { CompactionEntry, SessionEntry } from "./types.ts";

interface SessionSettings {
  /** "off" where the branch sets none. */
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

export interface SessionContext extends SessionSettings {
  messages: AgentMessage[];
}

export interface SessionProjection extends SessionContext {
  entries: ProjectedSessionEntry[];
}

/** What the context rules ask of a node `N` of a branch: the entry itself, or a row that stands for it. */
export interface ContextView<N> {
  id(node: N): string;
  type(node: N): string;
  /** Called only for nodes of type `message`. */
  role(node: N): string;
  /** Called only for the branch's latest compaction. */
  firstKeptEntryId(node: N): string;
  /** The entries these nodes stand for, in the same order. Called once, for all nodes that are needed. */
  read(nodes: readonly N[]): SessionEntry[];
}

/** Entries seen as themselves. Asking a `message` entry without a message for its role throws, as in pi. */
export const ENTRY_VIEW: ContextView<SessionEntry> = {
  id: (entry) => entry.id,
  type: (entry) => entry.type,
  role: (entry) => (entry.type === "message" ? entry.message.role : ""),
  firstKeptEntryId: (entry) => (entry.type === "compaction" ? entry.firstKeptEntryId : ""),
  read: (entries) => [...entries],
};

/**
 * The entries in the model's context, in the order the model sees them: the latest compaction of the branch,
 * what it kept, and what follows it; the whole branch where nothing was compacted.
 */
export function buildContextEntries(
  entries: SessionEntry[],
  leafId?: string | null,
  byId?: Map<string, SessionEntry> | null,
): SessionEntry[] {
  return contextEntriesOf(branchOf(entries, leafId, byId));
}

/** The model's context, with the entry each message comes from. */
export function buildSessionProjection(
  entries: SessionEntry[],
  leafId?: string | null,
  byId?: Map<string, SessionEntry> | null,
): SessionProjection {
  return projectionOf(branchOf(entries, leafId, byId));
}

/** The messages the model sees, and the model and thinking level the branch leaves in force. */
export function buildSessionContext(
  entries: SessionEntry[],
  leafId?: string | null,
  byId?: Map<string, SessionEntry> | null,
): SessionContext {
  return contextOf(branchOf(entries, leafId, byId), ENTRY_VIEW);
}

/** The last compaction in the order of the array, whatever branch it is on; null when there is none. */
export function getLatestCompactionEntry(entries: SessionEntry[]): CompactionEntry | null {
  return entries.findLast((entry) => entry.type === "compaction") ?? null;
}

/** Root first. A leaf that is absent or unknown means the last entry; null means before the first. */
function branchOf(
  entries: SessionEntry[],
  leafId: string | null | undefined,
  byId: Map<string, SessionEntry> | null | undefined,
): SessionEntry[] {
  if (leafId === null) return [];
  const known = byId ?? new Map(entries.map((entry) => [entry.id, entry]));
  const leaf = (leafId ? known.get(leafId) : undefined) ?? entries.at(-1);
  return walkToRoot(leaf, (id) => known.get(id));
}

/**
 * The branch that ends in `leaf`, root first. An entry whose parent is unknown counts as the root, and so does one
 * whose parent is already on the branch: damaged files hold cycles, on which pi never returns.
 */
export function walkToRoot(
  leaf: SessionEntry | undefined,
  find: (id: string) => SessionEntry | undefined,
): SessionEntry[] {
  const branch = new Set<SessionEntry>();
  for (let entry = leaf; entry && !branch.has(entry); ) {
    branch.add(entry);
    entry = entry.parentId ? find(entry.parentId) : undefined;
  }
  return [...branch].reverse();
}

/** `buildContextEntries` of a branch, root first. */
export function contextEntriesOf(branch: readonly SessionEntry[]): SessionEntry[] {
  return selectNodes(branch, ENTRY_VIEW);
}

/** `buildSessionProjection` of a branch, root first. */
export function projectionOf(branch: readonly SessionEntry[]): SessionProjection {
  const settings = settingsOf(ENTRY_VIEW.read(settingNodes(branch, ENTRY_VIEW)));
  const entries = projectEntries(contextEntriesOf(branch));
  return { entries, messages: entries.flatMap((entry) => entry.messages), ...settings };
}

/**
 * `buildSessionContext` of a branch, root first. Reads the bodies of entries that shape a message and of the
 * entries that state the settings in force, no others.
 */
export function contextOf<N>(branch: readonly N[], view: ContextView<N>): SessionContext {
  const stating = settingNodes(branch, view);
  const shaping = selectNodes(branch, view).filter((node) => SHAPES_CONTEXT.has(view.type(node)));
  const bodies = view.read([...shaping, ...stating]);
  const projected = projectEntries(bodies.slice(0, shaping.length));
  const messages = projected.flatMap((entry) => entry.messages);
  return { messages, ...settingsOf(bodies.slice(shaping.length)) };
}

function selectNodes<N>(branch: readonly N[], view: ContextView<N>): N[] {
  const compaction = branch.findLast((node) => view.type(node) === "compaction");
  if (compaction === undefined) return [...branch];
  const id = view.id(compaction);
  const at = branch.findIndex((node) => view.id(node) === id);
  const firstKept = view.firstKeptEntryId(compaction);
  const before = branch.slice(0, at);
  const kept = before.findIndex((node) => view.id(node) === firstKept);
  return [
    compaction,
    // The compaction carries the system message in force; the ones it covers would repeat or undo it.
    ...(kept < 0 ? [] : before.slice(kept).filter((node) => !isSystemMessage(node, view))),
    ...branch.slice(at + 1),
  ];
}

function isSystemMessage<N>(node: N, view: ContextView<N>): boolean {
  return view.type(node) === "message" && view.role(node) === "system";
}

/** The nodes that state the settings in force at the end of the branch: at most two. */
function settingNodes<N>(branch: readonly N[], view: ContextView<N>): N[] {
  let thinking: N | undefined;
  let model: N | undefined;
  for (const node of branch) {
    const type = view.type(node);
    if (type === "thinking_level_change") thinking = node;
    else if (type === "model_change") model = node;
    else if (type === "message" && view.role(node) === "assistant") model = node;
  }
  return [thinking, model].filter((node) => node !== undefined);
}

function settingsOf(entries: readonly SessionEntry[]): SessionSettings {
  const settings: SessionSettings = { thinkingLevel: "off", model: null };
  for (const entry of entries) {
    if (entry.type === "thinking_level_change") settings.thinkingLevel = entry.thinkingLevel;
    else if (entry.type === "model_change") {
      settings.model = { provider: entry.provider, modelId: entry.modelId };
    } else if (entry.type === "message" && entry.message.role === "assistant") {
      settings.model = { provider: entry.message.provider, modelId: entry.message.model };
    }
  }
  return settings;
}
