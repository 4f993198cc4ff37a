import { safeJson, toSafeJson } from "../../text/safe-json.ts";
import type { Output } from "../terminal/output.ts";

/** The version of every document `--json` prints. */
const SCHEMA_VERSION = 1;

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
  out.print(itemTexts(items));
}

function* itemTexts(items: Iterable<unknown>): Generator<string> {
  for (const item of items) yield itemText(item);
}

function itemText(item: unknown): string {
  return item instanceof WrittenJson ? safeJson(item.text) : toSafeJson(item);
}
