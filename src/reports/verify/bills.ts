import { billingKeyOf } from "../../format/billing-key.ts";
import type { EntryRecord } from "../../format/record.ts";

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
