/**
 * The boundary where parsed JSON gets pi's types without having been checked.
 *
 * pi's API promises `SessionEntry` and `AgentMessage` but hands out whatever stands in the file, and hosts
 * rely on getting every field back. It is the same here: the two functions below are the only casts, what they return
 * may lack any field, and code that must not fail on a damaged file checks before it reads (`json.ts`).
 */
import type { AgentMessage } from "./message-types.ts";
import type { FileEntry } from "./types.ts";

/** Types a truthy JSON value from a line of a session file as the entry that it should be. */
export function uncheckedEntry(value: unknown): FileEntry {
  return value as FileEntry;
}

/** Types a message whose content the caller has replaced; the caller answers for it. */
export function uncheckedMessage(value: object): AgentMessage {
  return value as AgentMessage;
}
