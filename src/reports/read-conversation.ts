import { isJsonObject, type JsonObject } from "../format/json.ts";
import { parseJson } from "../format/parse.ts";
import type { Index } from "../store/open.ts";
import { readBody } from "../store/tables/entry-bodies.ts";
import type { EntryNode, SessionNodes } from "../store/tables/entry-nodes.ts";
import { maskJson } from "../text/mask-json.ts";
import { shownPreview } from "../text/preview.ts";
import { maskPreview, maskSecrets } from "../text/secrets.ts";
import { isoOrNull } from "../time/calendar.ts";
import type { Session } from "./answers.ts";
import { maskedSession } from "./masked-session.ts";
import { type BranchOptions, OpenConversations } from "./open-conversations.ts";

export type OutlineOptions = BranchOptions;

export interface ConversationOptions extends BranchOptions {
  /** The place on the branch of the first entry that is wanted, from 0. */
  from?: number;
  /** How many entries at most; 50 unless told, 0 for all. */
  count?: number;
  /** Leave secrets in. */
  reveal?: boolean;
}

/** An entry on a branch. */
export interface ConversationEntry {
  /** On the branch, from 0. */
  place: number;
  /** Null in files of v1. */
  id: string | null;
  parentId: string | null;
  /** In the session file, from 1. */
  line: number;
  type: string;
  role: string | null;
  tool: string | null;
  isError: boolean;
  label: string | null;
  /** ISO 8601 UTC. */
  timestamp: string | null;
  /** US dollars, as the file states them. */
  cost: number;
  /** The entry as it stands in the file; null where the file has something else there by now, or the line is too long. */
  entry: JsonObject | null;
}

export interface ConversationPiece {
  session: Session;
  /** Of the branch. */
  total: number;
  entries: ConversationEntry[];
}

/** What one looks for in a conversation, in the order of the branch. */
export interface OutlineItem {
  kind: "prompt" | "label" | "compaction" | "branches";
  /** As in `ConversationEntry`. */
  place: number;
  id: string | null;
  line: number;
  /** The beginning of the prompt or summary, or the label; empty for branches. */
  text: string;
  timestamp: string | null;
  /** What the branch has cost up to the entry, itself included; US dollars. */
  costSoFar: number;
  /** The last entries of the branches that leave here, the newest first. */
  branches: { id: string | null; line: number; text: string }[];
}

export interface Outline {
  session: Session;
  total: number;
  /** Of the entry that stands in the name (`01a0e225:16`), as in `ConversationEntry`; null without one, or off the branch. */
  place: number | null;
  /** The last entry of the branch; null for an empty session. */
  last: { id: string | null; line: number } | null;
  items: OutlineItem[];
  /** The entries of the branch that hold usage, in order. */
  requests: {
    /** As in `ConversationEntry`. */
    place: number;
    /** US dollars, as the file states them. */
    cost: number;
    /** What was in the context, and the answer. */
    totalTokens: number;
  }[];
}

/** Entries of a piece, unless told. */
export const PIECE = 50;

/** A piece of a session's conversation: entries of one branch with their lines in the file. */
export function readConversation(
  index: Index,
  name: string,
  options: ConversationOptions = {},
  open = new OpenConversations(),
): ConversationPiece {
  const { from = 0, count = PIECE, reveal = false } = options;
  const { session, path, tree } = open.branchOf(index, name, options);
  const shown = reveal ? session : maskedSession(session, maskSecrets);
  const end = count === 0 ? path.length : from + count;
  const entries = path.slice(from, end).map((node, at) => ({
    place: from + at,
    ...factsOf(node),
    cost: tree.costOf(node),
    entry: entryOf(node, reveal),
  }));
  return { session: shown, total: path.length, entries };
}

/** Prompts, labels, compactions and branchings of one branch. */
export function readOutline(
  index: Index,
  name: string,
  options: OutlineOptions = {},
  open = new OpenConversations(),
): Outline {
  const { session, path, tree, named } = open.branchOf(index, name, options);
  const { nodes } = tree;
  const items: OutlineItem[] = [];
  const requests: Outline["requests"] = [];
  let costSoFar = 0;
  for (const [place, node] of path.entries()) {
    const [cost, totalTokens] = [tree.costOf(node), tree.tokensAt(node)];
    costSoFar += cost;
    if (cost !== 0 || totalTokens !== 0) requests.push({ place, cost, totalTokens });
    const next = path[place + 1];
    const sides = nodes.childrenOf(node).filter((child) => child !== next);
    for (const { kind, text } of kindsOf(node, sides.length > 0)) {
      const { id, line, timestamp } = factsOf(node);
      const branches = kind === "branches" ? sides.map((side) => endOf(nodes, side)).reverse() : [];
      items.push({ kind, place, id, line, text, timestamp, costSoFar, branches });
    }
  }
  const shown = maskedSession(session, maskSecrets);
  return {
    session: shown,
    total: path.length,
    place: placeOn(path, named),
    last: endOn(path),
    items,
    requests,
  };
}

function placeOn(path: readonly EntryNode[], node: EntryNode | undefined): number | null {
  const place = node === undefined ? -1 : path.indexOf(node);
  return place === -1 ? null : place;
}

function endOn(path: readonly EntryNode[]): Outline["last"] {
  const last = path.at(-1);
  return last === undefined ? null : { id: last.entryId, line: last.line };
}

function factsOf(node: EntryNode): Omit<ConversationEntry, "place" | "cost" | "entry"> {
  const { entryId: id, parentId, line, type, role, tool, isError, label, timestamp } = node;
  return { id, parentId, line, type, role, tool, isError, label, timestamp: isoOrNull(timestamp) };
}

function entryOf(node: EntryNode, reveal: boolean): JsonObject | null {
  const body = readBody(node);
  if (body === null) return null;
  const line = body.bytes.toString();
  const entry = parseJson(reveal ? line : maskJson(line).text);
  return isJsonObject(entry) ? entry : null;
}

function* kindsOf(node: EntryNode, hasBranches: boolean): Generator<Pick<OutlineItem, "kind" | "text">> {
  const text = shownPreview(node.preview, maskPreview);
  if (node.role === "user") yield { kind: "prompt", text };
  if (node.type === "compaction") yield { kind: "compaction", text };
  if (node.label !== null) yield { kind: "label", text: maskSecrets(node.label) };
  if (hasBranches) yield { kind: "branches", text: "" };
}

/** The end of the branch that begins with an entry. */
function endOf(nodes: SessionNodes, side: EntryNode): OutlineItem["branches"][number] {
  const end = [...nodes.below(side)].at(-1) ?? side;
  return { id: end.entryId, line: end.line, text: shownPreview(side.preview, maskPreview) };
}
