import { BIDI_CONTROLS, sanitise } from "../../text/sanitise.ts";
import type { Output } from "../terminal/output.ts";

/** The version of every document `--json` prints. */
const SCHEMA_VERSION = 1;

// Characters that JSON does not escape although a terminal obeys them: DEL, C1 and the bidi controls.
const UNSAFE = new RegExp(`[\\u007f-\\u009f${BIDI_CONTROLS}]`, "g");

/** Prints one document whose first key is `schemaVersion`. */
export function printDocument(out: Output, document: object): void {
  out.print(toSafeJson({ schemaVersion: SCHEMA_VERSION, ...document }, 2));
}

/** A JSON text that is printed as it is: a line of a file can be nested deeper than `JSON.stringify` can write. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Prints a document that ends in a list too long to be held as one text: `head`, then `name` with its items, one on each
 * line.
 */
export function printDocumentWithList(
  out: Output,
  head: object,
  name: string,
  items: Iterable<unknown>,
): void {
  const opening = toSafeJson({ schemaVersion: SCHEMA_VERSION, ...head }, 2).replace(/\n\}$/, "");
  out.stream.write(`${opening},\n  ${toSafeJson(name)}: [`);
  let separator = "\n";
  for (const item of items) {
    out.stream.write(`${separator}    ${itemText(item)}`);
    separator = ",\n";
  }
  out.stream.write(separator === "\n" ? "]\n}\n" : "\n  ]\n}\n");
}

/** Prints the items of a list, one on each line. */
export function printLines(out: Output, items: Iterable<unknown>): void {
  for (const item of items) out.stream.write(`${itemText(item)}\n`);
}

function itemText(item: unknown): string {
  return item instanceof WrittenJson ? safeJson(item.text) : toSafeJson(item);
}

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
function plainValue(_key: string, value: unknown): unknown {
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
