import { isSpoken } from "../format/entry.ts";
import { isJsonObject } from "../format/json.ts";
import type { SessionEntry } from "../format/types.ts";

/**
 * Whether an entry is a message of a user or a model. The first such entry creates the session's file, so that a prompt
 * is on disk before the model answers (as in pi 1.x; earlier, the model's answer created it).
 */
export function isConversation(entry: SessionEntry): boolean {
  if (entry.type !== "message") return false;
  const message: unknown = entry.message;
  return isJsonObject(message) && isSpoken(message.role);
}
