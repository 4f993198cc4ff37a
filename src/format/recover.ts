import { isJsonObject, type JsonObject } from "./json.ts";
import { parseJson } from "./parse.ts";

/*
 * A line that is no JSON may hold whole entries all the same: the beginning of an entry that was torn off by a full disk or
 * a crash with the next entry right behind it, two entries without a line end between them, a block of NULs before one.
 */

/** An entry within a damaged line. */
export interface RecoveredEntry {
  entry: JsonObject;
  /** In bytes of the line. */
  at: number;
  length: number;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];
const START = Buffer.from('{"');

/** How often each byte is looked at on average, at most: text that only looks like the beginnings of objects ends the search. */
const LOOKS = 8;
/** Bytes. */
const LEAST_LOOKS = 1024 * 1024;

/** The whole entries in a line, in their order. An entry within another one is a part of that, also where that one is torn. */
export function entriesWithin(line: Buffer): RecoveredEntry[] {
  const found: RecoveredEntry[] = [];
  let looks = line.length * LOOKS + LEAST_LOOKS;
  let isTorn = false;
  for (let at = line.indexOf(START); at >= 0 && looks > 0; ) {
    const end = endOfObject(line, at, Math.min(line.length, at + looks));
    looks -= (end < 0 ? line.length : end) - at;
    const value = end < 0 ? undefined : parseJson(line.toString("utf8", at, end));
    isTorn ||= value === undefined;
    const entry = entryOf(value);
    if (entry !== null && !(isTorn && isMember(line, at, end))) found.push({ entry, at, length: end - at });
    at = line.indexOf(START, entry === null ? at + 1 : end);
  }
  return found;
}

const [BEFORE_MEMBER, BEHIND_MEMBER] = [Buffer.from("[:,"), Buffer.from(",]}")];

/** Whether an object stands as a value in a list or an object does. Behind a tear the next line would, but for what follows. */
function isMember(line: Buffer, at: number, end: number): boolean {
  const [before, behind] = [line[at - 1], line[end]];
  if (before === undefined || behind === undefined) return false;
  return BEFORE_MEMBER.includes(before) && BEHIND_MEMBER.includes(behind);
}

/** Behind the bracket that closes the object which begins at a byte; -1 where none does. */
function endOfObject(line: Buffer, start: number, limit: number): number {
  let depth = 0;
  for (let at = start; at < limit; at++) {
    const byte = line[at];
    if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return at + 1;
    else if (byte === QUOTE) at = endOfText(line, at, limit);
  }
  return -1;
}

/** The quote that ends the text which begins at a quote. */
function endOfText(line: Buffer, start: number, limit: number): number {
  let at = start + 1;
  while (at < limit && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** All entries have a type and a time, and nothing else that sessions hold has both. A header is none. */
function entryOf(value: unknown): JsonObject | null {
  if (!isJsonObject(value) || value.type === "session") return null;
  const isEntry = typeof value.type === "string" && typeof value.timestamp === "string";
  return isEntry && (typeof value.id === "string" || isJsonObject(value.message)) ? value : null;
}
