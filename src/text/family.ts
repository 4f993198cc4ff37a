import { formatMoney, plural } from "./numbers.ts";

/** `3 sub-agents, $0.70`; empty where there are none. @param cost US dollars */
export function subagentsText({ sessions, cost }: { sessions: number; cost: number }): string {
  if (sessions === 0) return "";
  return `${plural(sessions, "sub-agent")}${cost === 0 ? "" : `, ${formatMoney(cost)}`}`;
}

/** How a session stands to its parent, as words before the parent's name. */
const TO_PARENT = {
  fork: "forked from",
  handoff: "goes on from",
  interactive: "goes on from",
  subagent: "of",
};

/** `forked from PARENT`, `sub-agent scout of PARENT`; empty where there is nothing to say. @param parent as it is to be shown */
export function parentText(
  { origin, agent }: { origin: keyof typeof TO_PARENT; agent: string | null },
  parent: string | null,
): string {
  const own = origin === "subagent" ? `sub-agent ${agent ?? ""}`.trimEnd() : "";
  return [own, parent === null ? "" : `${TO_PARENT[origin]} ${parent}`].filter(Boolean).join(" ");
}
