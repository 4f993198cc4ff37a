import type { Exported } from "../render/exported-session.ts";
import { formatCompact, formatCount, formatMoney, plural } from "../text/numbers.ts";
import { formatMoment, formatSpan } from "../time/calendar.ts";

/** What the head of an export says of the session, name by name. */
export function factsOf({ session, timezone }: Exported): [name: string, value: string][] {
  const { usage, inherited, createdAt, modifiedAt, models, messageCount, branchCount, id } = session;
  const time = formatSpan(createdAt ?? modifiedAt, modifiedAt, (ms) => formatMoment(ms, timezone));
  const copied = inherited.cost > 0 ? `, ${formatMoney(inherited.cost)} of it before the fork` : "";
  const facts: [string, string][] = [
    ["Session", id],
    ["Time", `${time} (${timezone})`],
    ["Messages", formatCount(messageCount)],
    ["Family", familyOf(session)],
    ["Branches", branchCount > 1 ? String(branchCount) : ""],
    ["Models", models.join(", ")],
    ["Cost", usage.cost === 0 ? "" : formatMoney(usage.cost) + copied],
    [
      "Tokens",
      usage.totalTokens === 0
        ? ""
        : `${formatCompact(usage.totalTokens)} in ${plural(usage.requests, "request")}`,
    ],
  ];
  return facts.filter(([, value]) => value !== "");
}

const WORDS = { fork: "forked from", handoff: "goes on from", subagent: "of", interactive: "goes on from" };

/** Files are called by their names: where they lie says something of whoever shares an export. */
function familyOf({ origin, agent, parentPath, subagents }: Exported["session"]): string {
  const parent = parentPath === null ? "" : `${WORDS[origin]} ${parentPath.split(/[\\/]/).at(-1)}`;
  const own = origin === "subagent" ? `sub-agent ${agent} ${parent}`.trimEnd() : parent;
  const members = subagents.sessions === 0 ? "" : plural(subagents.sessions, "sub-agent");
  const cost = subagents.cost === 0 ? "" : `, ${formatMoney(subagents.cost)}`;
  return [own, members + cost].filter(Boolean).join("; ");
}
