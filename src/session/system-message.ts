import { isJsonObject } from "../format/json.ts";
import type { AgentMessage, SystemMessage, Tool } from "../format/messages.ts";

/**
 * Joins the system messages of a context into the one that is in force at its end: texts one after the
 * other, sections by name (null removes one), tools by name. Undefined where the context has none.
 *
 * A compaction stores it, because the messages it is made of are no longer part of the context after that.
 */
export function currentSystemMessage(
  messages: readonly AgentMessage[],
  timestamp: number,
): SystemMessage | undefined {
  const updates = messages.filter((message) => message.role === "system");
  const texts = updates.map((update) => textOf(update.content)).filter((text) => text !== "");
  const sections = currentSections(updates);
  const tools = currentTools(updates);
  if (tools.size === 0 && updates.every((update) => update.timestamp === undefined)) return undefined;
  return {
    role: "system",
    content: texts.join("\n\n"),
    ...(sections.size > 0 ? { sections: Object.fromEntries(sections) } : {}),
    ...(tools.size > 0 ? { toolsAdded: [...tools.values()] } : {}),
    timestamp,
  };
}

function textOf(content: SystemMessage["content"]): string {
  if (typeof content === "string") return content;
  return content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n");
}

function currentSections(updates: readonly SystemMessage[]): Map<string, string> {
  const sections = new Map<string, string>();
  for (const { sections: changed } of updates) {
    const changes: NonNullable<SystemMessage["sections"]> = isJsonObject(changed) ? changed : {};
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) sections.delete(name);
      else sections.set(name, value);
    }
  }
  return sections;
}

/** A tool that is declared again keeps its place; one that was removed in between goes to the end. */
function currentTools(updates: readonly SystemMessage[]): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const { toolsAdded, toolsRemoved } of updates) {
    for (const tool of objectsOf(toolsRemoved)) tools.delete(tool.name);
    for (const tool of objectsOf(toolsAdded)) tools.set(tool.name, tool);
  }
  return tools;
}

/** Keeps only objects: nobody has validated the tools in a file. */
function objectsOf<T>(tools: T[] | undefined): T[] {
  const isObject: (tool: T) => boolean = isJsonObject;
  return Array.isArray(tools) ? tools.filter(isObject) : [];
}
