/**
 * Which lines rows of the index can give back exactly. Sessions with any others are read from their files; pi and this
 * program have written none.
 */
import { isSpoken, LAST_TIME } from "./entry.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** `timestamp` has to be a time, and `parentSession`, if there, a string: both are handed out just as they stand. */
export function headerRoundTrips(header: JsonObject): boolean {
  const { id, timestamp, cwd, parentSession } = header;
  if (typeof timestamp !== "string" || Number.isNaN(Date.parse(timestamp))) return false;
  if (parentSession !== undefined && typeof parentSession !== "string") return false;
  return typeof cwd === "string" && [id, cwd, parentSession].every(isStorable);
}

/** `entry` as `upgradeEntry` gives it. */
export function entryRoundTrips(entry: JsonObject): boolean {
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
