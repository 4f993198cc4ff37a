import { blocksOf, messageText } from "./content.ts";
import { PATH_ARGUMENTS } from "./entry.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectAt, stringOrNull } from "./json.ts";
import { type NestedCall, nestedCallsIn } from "./nested-calls.ts";

/** A piece of an entry as people read it. All of it comes from a transcript: escape it for wherever it is printed. */
export type Part =
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  /** Results name its id; a call that a tool or a person made has none. */
  | { kind: "call"; name: string; args: JsonValue; id?: string }
  | { kind: "output"; text: string }
  /** Base64. */
  | { kind: "image"; mimeType: string; data: string }
  /** Why something stopped or failed. */
  | { kind: "error"; text: string }
  /** Something that happened beside the conversation, in one line. */
  | { kind: "note"; text: string };

/** What an entry shows to a reader, in order; nothing for entries that are only bookkeeping. */
export function partsOf(entry: JsonObject): Part[] {
  return partsOfEntry(entry).filter((part) => !("text" in part) || part.text !== "");
}

const SPEAKING_TYPES = new Set(["message", "custom_message", "compaction", "branch_summary"]);

/** Whether entries of a type may have other parts than notes. */
export function maySpeak(type: string): boolean {
  return SPEAKING_TYPES.has(type);
}

function partsOfEntry(entry: JsonObject): Part[] {
  switch (entry.type) {
    case "message":
      return partsOfMessage(objectAt(entry, "message") ?? {});
    case "custom_message":
      return contentParts(entry, "text");
    case "compaction":
    case "branch_summary":
      return [{ kind: "text", text: stringOrNull(entry.summary) ?? "" }];
    default:
      return [{ kind: "note", text: noteOf(entry) }];
  }
}

function noteOf(entry: JsonObject): string {
  switch (entry.type) {
    case "model_change":
      return `model ${[entry.provider, entry.modelId].map(stringOrNull).filter(Boolean).join("/")}`;
    case "thinking_level_change":
      return `thinking ${stringOrNull(entry.thinkingLevel) ?? ""}`;
    case "session_info":
      return stringOrNull(entry.name) ? `named "${stringOrNull(entry.name)}"` : "name cleared";
    case "label":
      return stringOrNull(entry.label) ? `labelled "${stringOrNull(entry.label)}"` : "label cleared";
    case "usage":
      return [stringOrNull(entry.kind), stringOrNull(entry.note)].filter(Boolean).join(": ");
    case "context_edit":
      return isJsonObject(entry.replacement)
        ? `replaced in the context: ${messageText(entry.replacement)}`
        : "taken out of the context";
    default:
      return "";
  }
}

function partsOfMessage(message: JsonObject): Part[] {
  switch (message.role) {
    case "assistant":
      return [
        { kind: "text", text: stringOrNull(message.content) ?? "" },
        ...blocksOf(message.content).flatMap(assistantPart),
        ...stopParts(message),
      ];
    case "toolResult":
      return [...nestedCallsIn(message).flatMap(nestedCallParts), ...contentParts(message, "output")];
    case "bashExecution":
      return [
        { kind: "call", name: "$", args: stringOrNull(message.command) ?? "" },
        { kind: "output", text: stringOrNull(message.output) ?? "" },
        ...exitParts(message),
      ];
    case "branchSummary":
    case "compactionSummary":
      return [{ kind: "text", text: stringOrNull(message.summary) ?? "" }];
    default:
      return contentParts(message, "text");
  }
}

function assistantPart(block: JsonObject): Part[] {
  switch (block.type) {
    case "text":
      return [{ kind: "text", text: stringOrNull(block.text) ?? "" }];
    case "thinking":
      return [{ kind: "thinking", text: stringOrNull(block.thinking) ?? "" }];
    case "toolCall":
      return callParts(block, stringOrNull(block.argumentsError), stringOrNull(block.id));
    default:
      return imageParts(block);
  }
}

/** A call of another tool that the tool of a result has made. */
function nestedCallParts({ name, args, beginning, isError, error }: NestedCall): Part[] {
  return callParts({ name, arguments: args ?? beginning }, error ?? (isError === null ? "unfinished" : null));
}

function callParts(call: JsonObject, error: string | null, id: string | null = null): Part[] {
  const named = { name: stringOrNull(call.name) || "tool", ...(id && { id }) };
  const part: Part = { kind: "call", ...named, args: call.arguments ?? null };
  return error ? [part, { kind: "error", text: error }] : [part];
}

/** Why an answer ended where it did, unless it simply ended. */
function stopParts(message: JsonObject): Part[] {
  const error = stringOrNull(message.errorMessage);
  if (error) return [{ kind: "error", text: error }];
  const ended = ["error", "aborted", "length"].find((reason) => reason === message.stopReason);
  return ended === undefined ? [] : [{ kind: "error", text: ended }];
}

function exitParts(message: JsonObject): Part[] {
  const { exitCode } = message;
  if (message.cancelled === true) return [{ kind: "error", text: "cancelled" }];
  return typeof exitCode === "number" && exitCode !== 0
    ? [{ kind: "error", text: `exit code ${exitCode}` }]
    : [];
}

function contentParts(owner: JsonObject, kind: "text" | "output"): Part[] {
  if (!Array.isArray(owner.content)) return [{ kind, text: messageText(owner) }];
  return blocksOf(owner.content).flatMap((block): Part[] =>
    block.type === "text" ? [{ kind, text: stringOrNull(block.text) ?? "" }] : imageParts(block),
  );
}

/** How many bytes an image has, from its base64. */
export function imageBytes({ data }: Extract<Part, { kind: "image" }>): number {
  return Math.floor((data.replace(/==?$/, "").length * 3) / 4);
}

function imageParts(block: JsonObject): Part[] {
  if (block.type !== "image") return [];
  return [
    { kind: "image", mimeType: stringOrNull(block.mimeType) ?? "", data: stringOrNull(block.data) ?? "" },
  ];
}

/** Arguments nested deeper than this are left out. */
const DEEPEST = 6;

/** A tool's arguments as text: what the call is about, in one line, and the rest below it. */
export interface CallText {
  /** The path, the command, the only argument; empty where nothing is short enough to stand for all. */
  about: string;
  /** The other arguments, each after its name; empty where there are none. */
  rest: string;
}

/** They say what a call is about, the first of them that it has. */
const TELLING_ARGUMENTS = [...PATH_ARGUMENTS, "command"];

export function callText(args: JsonValue): CallText {
  if (!isJsonObject(args)) return { about: plainText(args, 0), rest: "" };
  const names = Object.keys(args);
  const telling = TELLING_ARGUMENTS.filter((name) => typeof args[name] === "string");
  // One of many lines is not short enough, but another argument would say something else: `10` for the timeout.
  const chosen = telling.find((name) => isShort(args[name])) ?? telling[0] ?? names[0] ?? "";
  const about = isShort(args[chosen]) ? plainText(args[chosen], 0) : "";
  const others = names.filter((name) => about === "" || name !== chosen);
  if (about === "" && others.length === 1) return { about, rest: plainText(args[chosen], 0) };
  return { about, rest: others.map((name) => namedText(name, args[name], 0)).join("\n") };
}

function isShort(value: JsonValue | undefined): boolean {
  return (typeof value === "string" && !value.includes("\n")) || typeof value === "number";
}

/** A value written for people, much like YAML: texts keep their lines. */
function plainText(value: JsonValue | undefined, depth: number): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  if (depth >= DEEPEST) return "…";
  if (Array.isArray(value)) {
    return value.map((each) => `- ${indented(plainText(each, depth + 1))}`).join("\n");
  }
  return Object.entries(value)
    .map(([name, each]) => namedText(name, each, depth + 1))
    .join("\n");
}

function namedText(name: string, value: JsonValue | undefined, depth: number): string {
  const text = plainText(value, depth);
  const isBlock = text.includes("\n") || (typeof value === "object" && text !== "");
  return isBlock ? `${name}:\n  ${indented(text)}` : `${name}: ${text}`;
}

function indented(text: string): string {
  return text.trimEnd().replaceAll("\n", "\n  ");
}
