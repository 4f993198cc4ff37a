export type Origin = "interactive" | "fork" | "subagent";

/** Where a session comes from. Sub-agents' sessions are written as `<session>/<hash>/run-N/session.jsonl`. */
export function originOf(path: string, parentSession: string | null): Origin {
  if (/[\\/]run-\d+[\\/]session\.jsonl$/.test(path)) return "subagent";
  return parentSession === null ? "interactive" : "fork";
}
