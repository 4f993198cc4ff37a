import { isJsonObject, type JsonObject } from "./json.ts";
import type { AgentMessage } from "./messages.ts";
import type { FileEntry } from "./types.ts";

/*
 * The boundary where parsed JSON gets pi's types without having been checked.
 *
 * pi's API promises `SessionEntry` and `AgentMessage` but hands out whatever stands in the file, and hosts
 * rely on getting every field back. It is the same here: the two functions below are the only casts, what they return
 * may lack any field, and code that must not fail on a damaged file checks before it reads (`json.ts`).
 */

/** Types a truthy JSON value from a line of a session file as the entry that it should be. */
export function uncheckedEntry(value: unknown): FileEntry {
  return value as FileEntry;
}

/** Types a message whose content the caller has replaced; the caller answers for it. */
export function uncheckedMessage(value: object): AgentMessage {
  return value as AgentMessage;
}

/** A header as the file has it: only its id has been checked. */
export type ParsedHeader = JsonObject & { id: string };

/** One line of a session file, understood as far as it can be. */
export type ParsedLine =
  | { kind: "blank" }
  | { kind: "header"; header: ParsedHeader }
  | { kind: "entry"; entry: JsonObject }
  /** `falsy` is what pi passes over before it has seen a header (`0`, `null`); `scalar` any other non-object. */
  | { kind: "falsy" | "scalar" }
  | { kind: "malformed" };

const BLANK: ParsedLine = { kind: "blank" };
const FALSY: ParsedLine = { kind: "falsy" };
const SCALAR: ParsedLine = { kind: "scalar" };
const MALFORMED: ParsedLine = { kind: "malformed" };

/**
 * Understands the bytes of one line, terminator not included.
 *
 * Bytes are decoded as UTF-8 with U+FFFD for what is invalid, as pi does; nothing is ever thrown.
 */
export function parseLine(bytes: Buffer): ParsedLine {
  const text = bytes.toString("utf8");
  // Not left to the parser: an error takes it 8 microseconds, and a file may be full of blank lines.
  if (text.trim() === "") return BLANK;
  const value = parseJson(text);
  if (value === undefined) return MALFORMED;
  if (isJsonObject(value)) return classifyObject(value);
  return value ? SCALAR : FALSY;
}

export function classifyObject(object: JsonObject): ParsedLine {
  if (object.type === "session" && typeof object.id === "string") {
    return { kind: "header", header: { ...object, id: object.id } };
  }
  return { kind: "entry", entry: object };
}

/** The JSON values in a text of lines, whatever they are; lines that do not parse are left out. */
export function parseSessionEntries(content: string): FileEntry[] {
  return content
    .trim()
    .split("\n")
    .map(parseJson)
    .filter((value) => value !== undefined)
    .map(uncheckedEntry);
}

/**
 * An entry from one line; null for a blank line, for one that does not parse, and for JSON values that are
 * false in a condition (`null`, `0`, `""`), which pi takes for nothing.
 */
export function parseEntryLine(line: string): FileEntry | null {
  if (line.trim() === "") return null;
  const value = parseJson(line);
  return value ? uncheckedEntry(value) : null;
}

/** The value of a JSON text; undefined for a text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // RangeError: nested deeper than the parser can follow.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
