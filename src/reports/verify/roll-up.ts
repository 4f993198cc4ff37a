import type { EntryUsage, PricedSums, Sums } from "../../format/usage.ts";
import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import { propertiesOf, selectList } from "../../store/tables/row-sql.ts";
import { quarterOf } from "../../store/tables/usage-buckets.ts";
import { addUp } from "../usage/figures.ts";
import type { Differences } from "./difference.ts";

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
