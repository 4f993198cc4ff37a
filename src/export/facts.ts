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
