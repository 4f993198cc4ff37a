import { constants } from "node:buffer";
import { SessionDbError } from "../../errors.ts";
import { readRange } from "../../file/range.ts";
import type { JsonObject, JsonValue } from "../../format/json.ts";
import type { SessionHeader } from "../../format/types.ts";
import type { Session } from "../../query/results.ts";
import type { EntryNode } from "../../query/session-nodes.ts";
import { readSessionHeader } from "../../session/header.ts";
import { formatBytes } from "../output/numbers.ts";
import { oneLine } from "../output/sanitise.ts";
import type { Cleaner, Exported } from "./exported.ts";

/** The session as a session file. Lines without secrets are as they were, byte for byte. */
export function* jsonlOf({ session, nodes, branch, clean }: Exported): Generator<string> {
  const header = readSessionHeader(session.path) ?? headerOf(session);
  yield `${maskLine(JSON.stringify(header), clean)}\n`;
  for (const node of branch === undefined ? nodes.all : nodes.branchThrough(branch)) {
    const line = lineOf(node);
    if (line !== null) yield `${maskLine(line, clean)}\n`;
  }
}

/** For a file that is one array: its header is not a line. */
function headerOf({ id, version, cwd, createdAt, modifiedAt, parentSessionPath }: Session): SessionHeader {
  const parent = parentSessionPath === null ? {} : { parentSession: parentSessionPath };
  return { type: "session", version, id, timestamp: createdAt ?? modifiedAt, cwd, ...parent };
}

function lineOf(node: EntryNode): string | null {
  if (node.length > constants.MAX_STRING_LENGTH) {
    throw new SessionDbError("io", `line ${node.line} is too long to be exported`, {
      hint: `It has ${formatBytes(node.length)}. Copy the file itself: ${oneLine(node.realPath)}`,
    });
  }
  const bytes = readRange(node.realPath, node.offset, node.length);
  // In a file that is one array an entry may take several lines.
  return bytes === null ? null : bytes.toString("utf8").replace(/\r?\n/g, "");
}

/** First every text by itself, where secrets keep their line ends, then the line, where values follow their names. */
function maskLine(line: string, clean: Cleaner): string {
  const value = parse(line);
  if (typeof value !== "object" || value === null) return clean.mask(line);
  const before = clean.masked;
  maskStrings(value, clean);
  const text = clean.masked === before ? line : JSON.stringify(value);
  const masked = clean.mask(text);
  return parse(masked) === undefined ? text : masked;
}

/** Undefined for what is no JSON, or is nested deeper than can be followed. */
function parse(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** In place, with a stack of its own: nobody knows how deep it goes. */
function maskStrings(value: JsonObject | JsonValue[], clean: Cleaner): void {
  const waiting: object[] = [value];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const [name, child] of Object.entries(at)) {
      if (typeof child === "object" && child !== null) waiting.push(child);
      if (typeof child === "string") Object.assign(at, { [name]: clean.mask(child) });
    }
  }
}
