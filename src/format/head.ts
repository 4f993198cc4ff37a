import type { JsonObject, JsonValue } from "./json.ts";

const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const NAME = new RegExp(String.raw`\s*(${STRING})\s*:\s*`, "y");
/** A value that is neither a list nor an object, with the sign after it, which shows that it is complete. */
const VALUE = new RegExp(String.raw`(${STRING}|${NUMBER}|true|false|null)\s*(?=[,}])`, "y");

/**
 * Reads the fields an entry begins with from the first bytes of its line: up to the first list, the first object, or
 * the end of the bytes. If that object is the message, its fields are read in the same way. All writers begin with the
 * fields that place an entry in its session: type, id, parent, time, role. Null for bytes that are no entry.
 */
export function headOf(bytes: Buffer): JsonObject | null {
  const text = bytes.toString("utf8");
  const begin = /^\s*\{/.exec(text);
  if (begin === null) return null;
  const entry: JsonObject = {};
  const message = readFields(text, begin[0].length, entry);
  if (typeof entry.type !== "string" || entry.type === "session") return null;
  if (message === null) return entry;
  const fields: JsonObject = {};
  readFields(text, message, fields);
  return { ...entry, message: fields };
}

/** Returns where the fields of the message begin if the message has ended the reading, null otherwise. */
function readFields(text: string, begin: number, into: JsonObject): number | null {
  for (let at = begin; ; at++) {
    const name = matchAt(NAME, text, at);
    if (name === null) return null;
    const value = matchAt(VALUE, text, NAME.lastIndex);
    if (value === null) {
      const isMessage = JSON.parse(name) === "message" && text[NAME.lastIndex] === "{";
      return isMessage ? NAME.lastIndex + 1 : null;
    }
    // Defined, not assigned: a field may be called __proto__.
    const field = {
      value: JSON.parse(value) as JsonValue,
      enumerable: true,
      writable: true,
      configurable: true,
    };
    Object.defineProperty(into, JSON.parse(name) as string, field);
    at = VALUE.lastIndex;
    if (text[at] !== ",") return null;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[1] ?? null;
}
