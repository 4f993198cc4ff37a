import { blocksOf, LONGEST_TEXT, messageText, stringsIn } from "./content.ts";
import { type JsonObject, objectAt, stringOrNull } from "./json.ts";
import { argumentTexts, nestedCallsIn } from "./nested-calls.ts";

/** How much of the longest texts is looked into, in UTF-16 units. */
export interface TextLimits {
  /** Of any one text. */
  text: number;
  /** Of the output of one tool call or command. */
  output: number;
  /** Of the arguments of one tool call: a written file is one argument. */
  callArguments: number;
}

/** How much goes into the full text; the rest is found only by a search for a substring. */
export const INDEXED: TextLimits = { text: LONGEST_TEXT, output: 64 * 1024, callArguments: 256 * 1024 };
export const WHOLE: TextLimits = {
  text: Number.POSITIVE_INFINITY,
  output: Number.POSITIVE_INFINITY,
  callArguments: Number.POSITIVE_INFINITY,
};

/**
 * The texts of an entry that search looks into: what people and models said and thought, tool calls with their
 * arguments, also nested ones, tool output, commands, summaries, edits of the context, names and labels. Not images,
 * signatures, system prompts or the JSON around them. Each text stands alone: a phrase never spans two of them.
 */
export function searchableTexts(entry: JsonObject, limits: TextLimits = INDEXED): string[] {
  const texts = textsOf(entry, limits).filter((text) => text !== "");
  return texts.map((text) => text.slice(0, limits.text));
}

function textsOf(entry: JsonObject, limits: TextLimits): string[] {
  switch (entry.type) {
    case "message":
      return messageTexts(objectAt(entry, "message") ?? {}, limits);
    case "custom_message":
      return contentTexts(entry);
    case "context_edit":
      return contentTexts(objectAt(entry, "replacement") ?? {});
    case "compaction":
    case "branch_summary":
      return [stringOrNull(entry.summary) ?? ""];
    case "label":
      return [stringOrNull(entry.label) ?? ""];
    case "session_info":
      return [stringOrNull(entry.name) ?? ""];
    case "usage":
      return [stringOrNull(entry.note) ?? ""];
    default:
      return [];
  }
}

function messageTexts(message: JsonObject, limits: TextLimits): string[] {
  switch (message.role) {
    case "assistant":
      return [
        stringOrNull(message.content) ?? "",
        ...blocksOf(message.content).flatMap((block) => assistantBlockTexts(block, limits)),
        stringOrNull(message.errorMessage) ?? "",
      ];
    case "toolResult":
      return [
        stringOrNull(message.toolName) ?? "",
        messageText(message).slice(0, limits.output),
        ...nestedCallsIn(message).flatMap((call) => [
          call.name,
          ...argumentTexts(call, limits.callArguments),
          call.error ?? "",
        ]),
      ];
    case "bashExecution":
      return [
        stringOrNull(message.command) ?? "",
        (stringOrNull(message.output) ?? "").slice(0, limits.output),
      ];
    case "branchSummary":
    case "compactionSummary":
      return [stringOrNull(message.summary) ?? ""];
    case "system":
      return [];
    default:
      // Programs that embed pi have roles of their own.
      return contentTexts(message);
  }
}

function contentTexts(owner: JsonObject): string[] {
  if (typeof owner.content === "string") return [owner.content.toWellFormed()];
  return blocksOf(owner.content).map((block) => stringOrNull(block.text) ?? "");
}

function assistantBlockTexts(block: JsonObject, limits: TextLimits): string[] {
  switch (block.type) {
    case "text":
      return [stringOrNull(block.text) ?? ""];
    case "thinking":
      return [stringOrNull(block.thinking) ?? ""];
    case "toolCall":
      // `argumentsError` quotes what the model has sent for arguments, where that was no JSON.
      return [
        stringOrNull(block.name) ?? "",
        ...stringsIn(block.arguments, limits.callArguments),
        stringOrNull(block.argumentsError) ?? "",
      ];
    default:
      return [];
  }
}
