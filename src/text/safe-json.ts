import { BIDI_CONTROLS, sanitise } from "./sanitise.ts";

// Characters that JSON does not escape although a terminal obeys them: DEL, C1 and the bidi controls.
const UNSAFE = new RegExp(`[\\u007f-\\u009f${BIDI_CONTROLS}]`, "g");

/** JSON that parses to the same value and can be shown on a terminal. */
export function toSafeJson(value: unknown, indent = 0): string {
  return safe(JSON.stringify(value, plainValue, indent));
}

/** A JSON text as it was written, safe for a terminal. A CR between its values, which is white space in JSON, is removed. */
export function safeJson(text: string): string {
  return sanitise(safe(text));
}

function safe(json: string): string {
  return json.replace(UNSAFE, escapeCharacter);
}

/** SQLite's integers beyond 2^53 become decimal strings, blobs become hexadecimal. */
export function plainValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (isSerialisedBuffer(value)) return Buffer.from(value.data).toString("hex");
  return value;
}

/** Whether a value is what `Buffer.toJSON` has made of a blob: that happens before a replacer sees it. */
function isSerialisedBuffer(value: unknown): value is { type: "Buffer"; data: number[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    value.type === "Buffer" &&
    "data" in value &&
    Array.isArray(value.data)
  );
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
