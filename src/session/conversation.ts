import { isJsonObject } from "../format/json.ts";
import type { SessionEntry } from "../format/types.ts";

/**
 * Whether an entry is something a user or a model said. The first such entry brings a session's file into
 * being, so that a prompt is on disk before the model answers (FORMAT.md, as pi 1.x).
 */
export function isConversation(entry: SessionEntry): boolean {
  if (entry.type !== "message") return false;
  const message: unknown = entry.message;
  return isJsonObject(message) && (message.role === "user" || message.role === "assistant");
}
