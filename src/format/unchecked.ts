/**
 * The boundary where parsed JSON gets pi's types without having been checked.
 *
 * pi's API promises `SessionEntry` and `AgentMessage` but hands out whatever stands in the file, and hosts
 * rely on getting every field back. So do we: the two functions below are the only casts, what they return
 * may lack any field, and code that must not fail on a damaged file looks before it reads (`json.ts`).
 */
import type { AgentMessage } from "./message-types.ts";
import type { FileEntry } from "./types.ts";

/** A truthy JSON value from a line of a session file, taken for the entry that it should be. */
export function uncheckedEntry(value: unknown): FileEntry {
  return value as FileEntry;
}

/** A message whose content was replaced by the caller, who answers for its type. */
export function uncheckedMessage(value: object): AgentMessage {
  return value as AgentMessage;
}
