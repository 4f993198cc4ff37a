/** What people call the roles and types that pi names for programs; all others are called as they are. */
const SPEAKERS = new Map([
  ["bashExecution", "you ran"],
  ["toolResult", "result"],
  ["branch_summary", "summary of a branch"],
  ["branchSummary", "summary of a branch"],
  ["compactionSummary", "compaction"],
  ["custom_message", "extension"],
  ["model_change", "model"],
  ["thinking_level_change", "thinking"],
  ["session_info", "name"],
]);

/** Whose words an entry holds. */
export interface Speaker {
  role: string | null;
  type: string;
  tool: string | null;
}

/** Who speaks, for people: the role of a message, else the type of the entry, and whose result it is. */
export function speakerOf({ role, type, tool }: Speaker): string {
  const name = role ?? type;
  return [SPEAKERS.get(name) ?? name, ...(tool ? ["of", tool] : [])].join(" ");
}
