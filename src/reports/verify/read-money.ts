import { billingKeyOf } from "../../format/billing-key.ts";
import { messageIn } from "../../format/entry.ts";
import { type JsonObject, objectAt, stringOrNull } from "../../format/json.ts";
import type { EntryRecord } from "../../format/record.ts";
import type { EntryUsage, PricedSums, Sums, UsageNumbers } from "../../format/usage.ts";
import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import { propertiesOf, selectList } from "../../store/tables/row-sql.ts";
import { quarterOf } from "../../store/tables/usage-buckets.ts";
import { addUp } from "../usage/figures.ts";
import { type Differences, sameDollars } from "./difference.ts";
import type { Row } from "./indexed-rows.ts";

/* What a session file spent, worked out in the simplest way: by bill, by quarter of an hour, and as pi adds it up. */

/** The bills of one file, told apart in the simplest way: what is alike counts once for each entry, by its id. */
export class ReadBills {
  readonly #entries = new Map<number, (string | null)[]>();

  /** The key of the bill of an entry that holds usage. */
  take({ attributes, bill, usage }: EntryRecord): number | null {
    if (bill === null || usage === null) return null;
    const first = billingKeyOf(bill, usage, 0);
    const alike = this.#entries.get(first) ?? [];
    this.#entries.set(first, alike);
    const known = attributes.id === null ? -1 : alike.indexOf(attributes.id);
    const nth = known < 0 ? alike.push(attributes.id) - 1 : known;
    return billingKeyOf(bill, usage, nth);
  }
}

/** What is added up. */
const PARTS = propertiesOf("usage_quarters", ["fileId", "quarter", "provider", "model", "source", "counted"]);
const WHOLE = selectList("usage_quarters", propertiesOf("usage_quarters"));
const ROLL_UP = `SELECT ${WHOLE} FROM usage_quarters WHERE file_id = ?`;

/** What is added up apart from other usage. */
interface Slot {
  quarter: number;
  /** Empty where the file names none. */
  provider: string;
  model: string;
  source: string;
  counted: 0 | 1;
}

/** What a session file spent, by quarter of an hour, beside what the index has of it. */
export class ReadRollUp {
  readonly #rows = new Map<string, Slot & PricedSums>();

  /** @param at Unix ms */
  take(usage: EntryUsage, { at, counted }: { at: number; counted: boolean }): void {
    const { provider, model, source } = usage;
    const slot: Slot = {
      quarter: quarterOf(at),
      provider: provider ?? "",
      model: model ?? "",
      source,
      counted: counted ? 1 : 0,
    };
    const name = nameOf(slot);
    const spent = pricedSumsOf(usage);
    const sums = this.#rows.get(name);
    if (sums === undefined) this.#rows.set(name, { ...slot, ...spent });
    else for (const part of PARTS) sums[part] += spent[part];
  }

  /** All of it, or what was copied from other sessions only. */
  sums(which: "all" | "copies"): Sums {
    return addUp([...this.#rows.values()].filter(({ counted }) => which === "all" || counted === 0));
  }

  compare(database: Database, fileId: number, differences: Differences): void {
    const rows = prepared(database, ROLL_UP).all(fileId) as (Slot & PricedSums)[];
    differences.compareRows("the roll-up of", this.#rows, new Map(rows.map((row) => [nameOf(row), row])));
  }
}

function nameOf({ quarter, provider, model, source, counted }: Slot): string {
  return JSON.stringify([quarter, provider, model, source, counted]);
}

function pricedSumsOf(usage: EntryUsage): PricedSums {
  const { input, output, cacheRead, cacheWrite, totalTokens } = usage;
  const { cost, costInput, costOutput, costCacheRead, costCacheWrite, costFromProvider, durationMs } = usage;
  const hasParts = costInput + costOutput + costCacheRead + costCacheWrite > 0;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens,
    cost,
    requests: 1,
    unpriced: cost === 0 && totalTokens > 0 ? 1 : 0,
    pricedInput: costInput > 0 ? input : 0,
    pricedCache: hasParts ? cacheRead + cacheWrite : 0,
    costInput,
    costCacheRead,
    costCacheWrite,
    costFromProvider: costFromProvider ?? 0,
    timedRequests: durationMs === null ? 0 : 1,
    timedOutput: durationMs === null ? 0 : output,
    durationMs: durationMs ?? 0,
  };
}

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
