import { blocksOf } from "./content.ts";
import { messageIn } from "./entry.ts";
import { type JsonObject, objectAt, stringOrNull } from "./json.ts";

/*
 * What a tool result says of the sub-agents that its tool has run. pi-subagents lists runs that have ended in
 * `details.results`, and those that ended in the background in `details.completions[].results`; others name one run in
 * `details` itself.
 */

/** A run of a sub-agent that a tool result tells of. */
export interface SubagentRun {
  agent: string | null;
  /** Path of the run's own session file; null where none is named. */
  sessionFile: string | null;
}

/** The runs that a tool result, or a message that an extension has put in, tells of. */
export function subagentsOf(entry: JsonObject): SubagentRun[] {
  const message = messageIn(entry);
  const owner = entry.type === "custom_message" ? entry : message?.role === "toolResult" ? message : null;
  const details = owner && objectAt(owner, "details");
  return details ? runsIn(details) : [];
}

function runsIn(details: JsonObject): SubagentRun[] {
  const completed = blocksOf(details.completions);
  const listed = [details, ...completed].flatMap(({ results }) => blocksOf(results));
  const alone = [details, ...completed].filter(({ sessionFile }) => typeof sessionFile === "string");
  const runs = [...listed, ...alone].map(({ agent, sessionFile }) => ({
    agent: stringOrNull(agent),
    sessionFile: stringOrNull(sessionFile),
  }));
  return runs.filter(({ agent, sessionFile }) => agent !== null || sessionFile !== null);
}

/** The session id that pi's name for a file holds: `<time>_<id>.jsonl`; null for other names. */
export function sessionIdInName(path: string | null): string | null {
  return path === null ? null : (/[\\/]\d{4}-\d\d-\d\dT[\dZ-]+_([^\\/]+)\.jsonl$/.exec(path)?.[1] ?? null);
}
