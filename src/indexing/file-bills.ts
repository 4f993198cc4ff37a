import { type BillName, billingKeyOf } from "../format/billing-key.ts";
import type { EntryUsage } from "../format/usage.ts";
import type { Database, Statement } from "../store/native.ts";

const HOLDS = `SELECT 1 FROM usage_rows WHERE bill = ? AND counted IN (0, 1) AND file_id = ? AND total_tokens = ?`;
const OF_ENTRY = `SELECT u.bill FROM entry_rows e CROSS JOIN usage_rows u ON u.entry_key = e.key
  WHERE e.file_id = ? AND e.entry_id = ?`;

/** Finds bills of a file, prepared once for one connection. */
export class BillTable {
  readonly #holds: Statement;
  readonly #ofEntry: Statement;

  constructor(database: Database) {
    this.#holds = database.prepare(HOLDS);
    this.#ofEntry = database.prepare(OF_ENTRY).pluck();
  }

  holds(fileId: number, bill: number, { totalTokens }: EntryUsage): boolean {
    return this.#holds.get(bill, fileId, totalTokens) !== undefined;
  }

  /** Of the entries with an id. */
  ofEntry(fileId: number, entryId: string): number[] {
    return this.#ofEntry.all(fileId, entryId) as number[];
  }
}

/**
 * The bills of one file. Requests that are alike are several all the same where they stand in one file, unless an entry is
 * there twice: then it is one.
 */
export class FileBills {
  readonly #table: BillTable;
  readonly #fileId: number;
  readonly #hasRows: boolean;
  /** How many bills there are of each kind that was met, by the key of the first of them. */
  readonly #counts = new Map<number, number>();

  /** @param hasRows whether the index has entries of the file from before */
  constructor(table: BillTable, fileId: number, hasRows: boolean) {
    this.#table = table;
    this.#fileId = fileId;
    this.#hasRows = hasRows;
  }

  /** The key of the next bill. */
  keyOf(name: BillName, usage: EntryUsage, entryId: string | null): number {
    const first = billingKeyOf(name, usage, 0);
    const count = this.#counts.get(first) ?? (this.#hasRows ? this.#countOf(name, usage) : 0);
    const repeated = count > 0 && entryId !== null ? this.#repeated(name, usage, { entryId, count }) : null;
    if (repeated !== null) return repeated;
    this.#counts.set(first, count + 1);
    return count === 0 ? first : billingKeyOf(name, usage, count);
  }

  #countOf(name: BillName, usage: EntryUsage): number {
    let count = 0;
    while (this.#table.holds(this.#fileId, billingKeyOf(name, usage, count), usage)) count++;
    return count;
  }

  /** The bill of an entry above with the same id, if it is alike. */
  #repeated(
    name: BillName,
    usage: EntryUsage,
    { entryId, count }: { entryId: string; count: number },
  ): number | null {
    const bills = this.#table.ofEntry(this.#fileId, entryId);
    if (bills.length === 0) return null;
    for (let nth = 0; nth < count; nth++) {
      const key = billingKeyOf(name, usage, nth);
      if (bills.includes(key)) return key;
    }
    return null;
  }
}
