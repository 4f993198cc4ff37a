import { messageIn } from "../../format/entry.ts";
import { type JsonObject, objectAt, stringOrNull } from "../../format/json.ts";
import type { EntryUsage, UsageNumbers } from "../../format/usage.ts";
import { type Differences, sameDollars } from "./difference.ts";
import type { Row } from "./indexed-entries.ts";

/** What pi's `getSessionStats` adds up, from the same five places; NaN where pi would say so. */
export class PiTotals {
  readonly #tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #cost = 0;

  take(entry: JsonObject): void {
    const message = messageIn(entry);
    const isCounted = message?.role === "assistant" || message?.role === "toolResult";
    const owner = isCounted ? message : entry;
    const hasUsage =
      isCounted || ["usage", "compaction", "branch_summary"].includes(stringOrNull(entry.type) ?? "");
    const usage = hasUsage ? objectAt(owner, "usage") : null;
    if (usage === null) return;
    for (const part of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      this.#tokens[part] += asNumber(usage[part]);
    }
    this.#cost += asNumber(objectAt(usage, "cost")?.total);
  }

  /** Takes off what sessions of sub-agents account for: pi counts it in both. @param rest what counts; null for nothing */
  lessen(stated: EntryUsage, rest: Partial<UsageNumbers> | null): void {
    for (const part of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      this.#tokens[part] -= stated[part] - (rest === null ? 0 : (rest[part] ?? stated[part]));
    }
    this.#cost -= stated.cost - (rest === null ? 0 : (rest.cost ?? stated.cost));
  }

  /** Tokens to the last one, money to the cent. */
  compare(session: Row, differences: Differences): void {
    for (const [name, count] of Object.entries(this.#tokens)) {
      if (Number.isNaN(count) || sameDollars(count, Number(session[name]))) continue;
      differences.add(`${name} is ${session[name]} in the index, and pi counts ${count}`);
    }
    const cost = this.#cost;
    if (Number.isNaN(cost) || Math.abs(cost - Number(session.cost)) < 0.005) return;
    differences.add(`cost is ${session.cost} in the index, and pi counts ${cost}`);
  }
}

function asNumber(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}
