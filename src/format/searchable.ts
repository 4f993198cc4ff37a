import { blocksOf, messageText, stringsIn } from "./content.ts";
import { type JsonObject, objectAt, stringOrNull } from "./json.ts";

/** Longest tool output of one entry that is searchable, in UTF-16 units; the rest is found by `--substring`. */
export const TOOL_OUTPUT_LIMIT = 64 * 1024;
/** Longest arguments of one tool call that are searchable: a written file is one argument. */
const ARGUMENTS_LIMIT = 256 * 1024;

/**
 * The texts of an entry that search looks into: what people and models said and thought, tool calls with
 * their arguments, tool output, commands, summaries, names and labels. Not images, signatures, system
 * prompts or the JSON around them. Each text stands alone: a phrase never spans two of them.
 */
export function searchableTexts(entry: JsonObject): string[] {
  return textsOf(entry).filter((text) => text !== "");
}

function textsOf(entry: JsonObject): string[] {
  switch (entry.type) {
    case "message":
      return messageTexts(objectAt(entry, "message") ?? {});
    case "custom_message":
      return contentTexts(entry);
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

function messageTexts(message: JsonObject): string[] {
  switch (message.role) {
    case "assistant":
      return [
        ...blocksOf(message.content).flatMap(assistantBlockTexts),
        stringOrNull(message.errorMessage) ?? "",
      ];
    case "toolResult":
      return [stringOrNull(message.toolName) ?? "", messageText(message).slice(0, TOOL_OUTPUT_LIMIT)];
    case "bashExecution":
      return [
        stringOrNull(message.command) ?? "",
        (stringOrNull(message.output) ?? "").slice(0, TOOL_OUTPUT_LIMIT),
      ];
    case "branchSummary":
    case "compactionSummary":
      return [stringOrNull(message.summary) ?? ""];
    case "user":
    case "custom":
      return contentTexts(message);
    default:
      return [];
  }
}

function contentTexts(owner: JsonObject): string[] {
  if (typeof owner.content === "string") return [owner.content];
  return blocksOf(owner.content).map((block) => stringOrNull(block.text) ?? "");
}

function assistantBlockTexts(block: JsonObject): string[] {
  switch (block.type) {
    case "text":
      return [stringOrNull(block.text) ?? ""];
    case "thinking":
      return [stringOrNull(block.thinking) ?? ""];
    case "toolCall":
      return [stringOrNull(block.name) ?? "", ...stringsIn(block.arguments, ARGUMENTS_LIMIT)];
    default:
      return [];
  }
}
