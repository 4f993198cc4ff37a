import type { JsonObject, JsonValue } from "./json.ts";

const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const NAME = new RegExp(String.raw`\s*(${STRING})\s*:\s*`, "y");
/** A value that holds no others, and what shows that it ends there. */
const VALUE = new RegExp(String.raw`(${STRING}|${NUMBER}|true|false|null)\s*(?=[,}])`, "y");

/**
 * The fields an entry begins with, from the first bytes of its line: up to the first list, the first object but the
 * message, whose fields are read in the same way, or the end of the bytes. All writers begin with what places an entry
 * in its session: type, id, parent, time, role. Null for what is no entry.
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

/** Returns where the fields of the message begin, if that is what it ended at. */
function readFields(text: string, begin: number, into: JsonObject): number | null {
  for (let at = begin; ; at++) {
    const name = matchAt(NAME, text, at);
    if (name === null) return null;
    const value = matchAt(VALUE, text, NAME.lastIndex);
    if (value === null) {
      const isMessage = JSON.parse(name) === "message" && text[NAME.lastIndex] === "{";
      return isMessage ? NAME.lastIndex + 1 : null;
    }
    // Defined, not set: one may be called __proto__.
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
