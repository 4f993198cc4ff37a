import { isJsonObject, type JsonObject } from "./json.ts";

/** A header as the file has it: of its fields only the id is known to be what it should. */
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return text.trim() === "" ? BLANK : MALFORMED;
    }
    throw error;
  }
  if (isJsonObject(value)) return classifyObject(value);
  return value ? SCALAR : FALSY;
}

function classifyObject(object: JsonObject): ParsedLine {
  if (object.type === "session" && typeof object.id === "string") {
    return { kind: "header", header: { ...object, id: object.id } };
  }
  return { kind: "entry", entry: object };
}
