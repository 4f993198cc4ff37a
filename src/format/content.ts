import { foldedLine, PREVIEW_LENGTH } from "../text/preview.ts";
import { looksRandom } from "../text/random-text.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectAt, stringOrNull } from "./json.ts";

/**
 * The text of a message as pi joins it for its session list: a string content itself, else the text blocks
 * with a space between.
 */
export function messageText(message: JsonObject): string {
  return joinedText(message).toWellFormed();
}

/** Lone surrogates are left in: looking for them in the whole text takes longer than cutting a preview. */
function joinedText({ content }: JsonObject): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  // A loop rather than a list to be joined: this runs for every entry.
  let joined: string | null = null;
  for (const block of content) {
    if (!isJsonObject(block) || block.type !== "text" || typeof block.text !== "string") continue;
    joined = joined === null ? block.text : `${joined} ${block.text}`;
  }
  return joined ?? "";
}

/** The content blocks of a message that are objects; none for anything else. */
export function blocksOf(content: JsonValue | undefined): JsonObject[] {
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** One line of at most `PREVIEW_LENGTH` characters that tells what an entry is about; empty when nothing does. */
export function previewOf(entry: JsonObject): string {
  return foldedLine(previewText(entry), PREVIEW_LENGTH).toWellFormed();
}

function previewText(entry: JsonObject): string {
  switch (entry.type) {
    case "message":
      return messagePreview(objectAt(entry, "message") ?? {});
    case "custom_message":
      return joinedText(entry);
    case "context_edit":
      return joinedText(objectAt(entry, "replacement") ?? {});
    case "compaction":
    case "branch_summary":
      return stringOrNull(entry.summary) ?? "";
    case "label":
      return stringOrNull(entry.label) ?? "";
    case "session_info":
      return stringOrNull(entry.name) ?? "";
    case "model_change":
      return [entry.provider, entry.modelId].filter((part) => typeof part === "string").join("/");
    case "thinking_level_change":
      return stringOrNull(entry.thinkingLevel) ?? "";
    case "usage":
      return stringOrNull(entry.note) ?? stringOrNull(entry.kind) ?? "";
    case "custom":
      return stringOrNull(entry.customType) ?? "";
    default:
      return "";
  }
}

function messagePreview(message: JsonObject): string {
  if (message.role === "bashExecution") return stringOrNull(message.command) ?? "";
  const text = joinedText(message) || (stringOrNull(message.summary) ?? "");
  if (text !== "") return text;
  const calls = blocksOf(message.content).filter((block) => block.type === "toolCall");
  if (calls.length > 0) return calls.map(callPreview).join(" ");
  return stringOrNull(message.errorMessage) ?? "";
}

/** What an edit takes away and puts there: the path says more in one line. */
const WRITTEN = new Set(["edits", "oldText", "newText", "content"]);

/** `→ edit src/main.ts` */
function callPreview({ name, arguments: args = null }: JsonObject): string {
  const telling = isJsonObject(args)
    ? Object.entries(args).flatMap(([each, value]) =>
        WRITTEN.has(each) || value === undefined ? [] : [value],
      )
    : args;
  return ["→", stringOrNull(name) ?? "tool", ...stringsIn(telling, PREVIEW_LENGTH)].join(" ");
}

/** The strings and numbers inside a JSON value, in order, without the keys; stops after `limit` characters. */
export function stringsIn(value: JsonValue | undefined, limit: number): string[] {
  const found: string[] = [];
  const waiting: (JsonValue | undefined)[] = [value];
  let room = limit;
  while (waiting.length > 0 && room > 0) {
    const next = waiting.pop();
    if (typeof next === "string" || typeof next === "number") {
      const text = String(next).slice(0, room).toWellFormed();
      found.push(text);
      room -= text.length;
    } else if (Array.isArray(next)) {
      pushReversed(waiting, next);
    } else if (isJsonObject(next)) {
      pushReversed(waiting, Object.values(next));
    }
  }
  return found;
}

/** Not `push(...values)`: an array of a million elements would overflow the stack. */
function pushReversed(waiting: (JsonValue | undefined)[], values: (JsonValue | undefined)[]): void {
  for (let i = values.length - 1; i >= 0; i--) waiting.push(values[i]);
}

/**
 * How much of one text the index takes in, in UTF-16 units. Of a text that is longer than a book only a beginning is kept,
 * because memory might not suffice for all of it.
 */
export const LONGEST_TEXT = 2 * 1024 * 1024;

/** In UTF-16 units: of data that is longer, only its beginning is kept. */
const LONGEST_DATA = 4096;
const KEPT_OF_DATA = 256;
/** What has no space in it for longer than any word, over one line or many. */
const UNBROKEN = /[!-~]{32,}(?:\s{1,2}[!-~]{32,})*/g;

/** What the index keeps of a text: of what is longer than a book, and of data within it, a beginning. */
export function keptOf(text: string): string {
  const kept = text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT).toWellFormed();
  if (kept.length <= LONGEST_DATA) return kept;
  return kept.replace(UNBROKEN, (run) => (isData(run) ? `${run.slice(0, KEPT_OF_DATA)}…` : run));
}

/** Base64, hexadecimal digits, one long line; not a list of paths. */
function isData(run: string): boolean {
  if (run.length <= LONGEST_DATA) return false;
  const pieces = run.split(/\s+/);
  return pieces.length === 1 || [0.25, 0.5, 0.75].every((part) => looksRandom(pieceAt(pieces, part)));
}

function pieceAt(pieces: readonly string[], part: number): string {
  return pieces[Math.floor(pieces.length * part)] ?? "";
}
