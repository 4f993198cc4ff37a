import type { Exported } from "../render/exported-session.ts";
import { parentText, subagentsText } from "../text/family.ts";
import { formatCompact, formatCount, formatMoney, plural } from "../text/numbers.ts";
import { formatMoment, formatSpan } from "../time/calendar.ts";

/** What the head of an export says of the session, name by name. */
export function factsOf({
  session,
  timezone,
}: Pick<Exported, "session" | "timezone">): [name: string, value: string][] {
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

/** Files are called by their names: where they lie says something of whoever shares an export. */
function familyOf({ origin, agent, parentPath, subagents }: Exported["session"]): string {
  const parent = parentPath?.split(/[\\/]/).at(-1) ?? null;
  return [parentText({ origin, agent }, parent), subagentsText(subagents)].filter(Boolean).join("; ");
}
