import { isSpoken } from "../format/entry.ts";
import { isJsonObject } from "../format/json.ts";
import type { SessionEntry } from "../format/types.ts";

/**
 * Whether an entry is something a user or a model said. The first such entry brings a session's file into
 * being, so that a prompt is on disk before the model answers (as in pi 1.x; before, the model's answer did).
 */
export function isConversation(entry: SessionEntry): boolean {
  if (entry.type !== "message") return false;
  const message: unknown = entry.message;
  return isJsonObject(message) && isSpoken(message.role);
}
