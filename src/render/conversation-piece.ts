import { isImage } from "../format/entry.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../format/json.ts";
import { maySpeak } from "../format/transcript.ts";
import type { Session } from "../reports/answers.ts";
import { maskedSession } from "../reports/masked-session.ts";
import { type Branch, type BranchOptions, OpenConversations } from "../reports/open-conversations.ts";
import { PIECE } from "../reports/read-conversation.ts";
import type { Index } from "../store/open.ts";
import { readEntry } from "../store/tables/entry-bodies.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";
import { plural } from "../text/numbers.ts";
import { maskBeginning, maskSecrets } from "../text/secrets.ts";
import { Colours } from "./code-colours.ts";
import { Conversation, following } from "./conversation.ts";
import { Cleaner } from "./exported-session.ts";
import { forksToHtml, gapAbove } from "./html-branches.ts";

export interface HtmlPieceOptions extends BranchOptions {
  /** The place on the branch of the first entry that is wanted, from 0. */
  from?: number;
  /** How many entries about; 50 unless told, 0 for all. */
  count?: number;
  /** Leave secrets in. */
  reveal?: boolean;
  /** IANA name. */
  timezone: string;
}

/** A piece of a branch for a page: to stand below an element of class `transcript`. */
export interface HtmlPiece {
  session: Session;
  /** Entries of the branch. */
  total: number;
  /** Where the piece begins: where it was asked for, or at the call whose results would have been cut off. */
  from: number;
  /** Where the next piece begins; `total` at the end. */
  next: number;
  html: string;
}

/**
 * A piece of a session's conversation as HTML. Each entry that shows anything has its place on the branch as `data-place`;
 * where other branches leave, there are links of class `fork`. A call and its results stand in one piece, so pieces that
 * are read one after the other hold everything once.
 *
 * @throws SessionDbError as `readConversation`
 */
export function readHtmlPiece(
  index: Index,
  name: string,
  options: HtmlPieceOptions,
  open = new OpenConversations(),
): HtmlPiece {
  const { from = 0, count = PIECE, reveal = false, timezone } = options;
  const branch = open.branchOf(index, name, options);
  const { session, path } = branch;
  const total = path.length;
  const begin = beginningAt(path, Math.min(from, total));
  const next = count === 0 ? total : endFrom(path, Math.min(from + count, total));
  const shown = { clean: new Cleaner({ reveal }), colours: new Colours(), timezone, reveal };
  return {
    session: reveal ? session : maskedSession(session, maskSecrets),
    total,
    from: begin,
    next,
    html: [...piecesOf(branch, { begin, next }, shown)].join(""),
  };
}

interface Span {
  begin: number;
  /** Behind the last. */
  next: number;
}

function* piecesOf(
  { tree, path }: Branch,
  { begin, next }: Span,
  { reveal, ...shown }: { clean: Cleaner; colours: Colours; timezone: string; reveal: boolean },
): Generator<string> {
  const { clean } = shown;
  const { nodes } = tree;
  const piece = path.slice(begin, next);
  const places = new Map(piece.map((node, at) => [node, begin + at]));
  const conversation = new Conversation({ ...shown, places }, (entry) => readShortened(entry, reveal));
  if (begin === 0)
    yield forksToHtml(
      nodes.childrenOf(null).filter((root) => root !== path[0]),
      tree,
      clean,
    ).source;
  for (const [at, node] of piece.entries()) {
    yield gapAbove(node, { nodes, clean }).source;
    yield conversation.htmlOf(node, following(piece, at)).source;
    const sides = nodes.childrenOf(node).filter((child) => child !== path[begin + at + 1]);
    yield forksToHtml(sides, tree, clean).source;
  }
}

/** Characters of one text: over a text of fifty megabytes a browser stands still for half a minute. */
const LONGEST_TEXT = 300_000;

/** An entry with long texts cut, which its export has whole. */
function readShortened(node: EntryNode, reveal: boolean): JsonObject | null {
  const entry = readEntry(node);
  return entry === null || node.length <= LONGEST_TEXT ? entry : shortenedFields(entry, reveal);
}

function shortenedFields(fields: JsonObject, reveal: boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === undefined ? value : shortened(value, reveal),
    ]),
  );
}

function shortened(value: JsonValue, reveal: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((each) => shortened(each, reveal));
  // Half a picture is none.
  if (isJsonObject(value)) return isImage(value) ? value : shortenedFields(value, reveal);
  if (typeof value !== "string" || value.length <= LONGEST_TEXT) return value;
  const beginning = reveal ? value.slice(0, LONGEST_TEXT) : maskBeginning(value, LONGEST_TEXT);
  const left = plural(value.length - LONGEST_TEXT, "more character");
  return `${beginning.toWellFormed()}\n\n… ${left}: an export of the session has them.`;
}

/** Moved back to the call whose results stand from `place` on. */
function beginningAt(path: readonly EntryNode[], place: number): number {
  return endFrom(path, place) === place ? place : path.slice(0, place).findLastIndex(speaks);
}

/** Moved on behind the results from `place` on that answer a call before it: they come before anybody speaks again. */
function endFrom(path: readonly EntryNode[], place: number): number {
  if (path.slice(0, place).findLast(speaks)?.role !== "assistant") return place;
  let end = place;
  for (const [at, node] of path.slice(place).entries()) {
    if (speaks(node)) break;
    if (node.role === "toolResult") end = place + at + 1;
  }
  return end;
}

function speaks({ role, type }: EntryNode): boolean {
  return role !== "toolResult" && maySpeak(type);
}
