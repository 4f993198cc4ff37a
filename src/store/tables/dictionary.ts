import { INDEX_DB, transaction } from "../databases.ts";
import type { Database, Statement } from "../native.ts";
import type { Rows } from "./columns.ts";
import { columnOf, type Property, propertiesOf, RowInsert, valuesOf } from "./row-sql.ts";

/** How many of the rows used last are compared before one is looked up in the map. */
const RECENT = 8;

type Entry<T extends DictionaryTable> = Omit<Rows[T], "id">;

/** The tables in which each combination of values stands once. */
export type DictionaryTable = "entry_kinds" | "usage_kinds";

/** What rows have in common: each combination of values stands once in a table and is known by its number there. */
export class Dictionary<T extends DictionaryTable> {
  readonly #properties: Exclude<Property<T>, "id">[];
  readonly #find: Statement;
  readonly #insert: RowInsert<T, "id">;
  /** By all values. Known for the open transaction only: another process may delete combinations that are not used. */
  readonly #known = new Map<string, number>();
  /** Used last, the latest first: mostly an entry has the combination of one shortly before. */
  #recent: { row: Entry<T>; id: number }[] = [];

  constructor(database: Database, table: T) {
    this.#properties = propertiesOf(table, ["id"]);
    const isSame = this.#properties.map((name) => `${columnOf(table, name)} IS ?`).join(" AND ");
    this.#find = database.prepare(`SELECT id FROM ${table} WHERE ${isSame}`).pluck();
    this.#insert = new RowInsert(database, table, { left: ["id"] });
  }

  idOf(row: Entry<T>): number {
    const at = this.#recent.findIndex((recent) => this.#areSame(recent.row, row));
    const [found] = at < 0 ? [] : this.#recent.splice(at, 1);
    const used = found ?? { row, id: this.#look(row) };
    this.#recent.unshift(used);
    if (this.#recent.length > RECENT) this.#recent.pop();
    return used.id;
  }

  /** To be called at the beginning of each transaction, and when a part of one was undone. */
  reset(): void {
    this.#known.clear();
    this.#recent = [];
  }

  #look(row: Entry<T>): number {
    const values = valuesOf(row, this.#properties);
    const name = JSON.stringify(values);
    const id = this.#known.get(name) ?? (this.#find.get(values) as number | undefined);
    const known = id ?? Number(this.#insert.run(row).lastInsertRowid);
    this.#known.set(name, known);
    return known;
  }

  #areSame(a: Entry<T>, b: Entry<T>): boolean {
    return this.#properties.every((name) => a[name] === b[name]);
  }
}

/** Removes combinations that no row has any more: their values may come from deleted entries only. */
function removeUnused(database: Database): void {
  database.exec(`DELETE FROM entry_kinds WHERE id NOT IN (SELECT kind FROM entry_rows);
    DELETE FROM usage_kinds WHERE id NOT IN (SELECT kind FROM usage_rows)`);
}

/** The last removal after which it was done. */
const DONE = "SELECT value FROM meta WHERE name = 'traces_seq'";
const SAVE_DONE = "INSERT OR REPLACE INTO meta (name, value) VALUES ('traces_seq', ?)";

/**
 * Removes what entries that are gone have left in other tables of the index. Looking for it takes half a second for each
 * million entries, and nobody can write meanwhile: so it is done once for each removal.
 */
export function removeTraces(database: Database, removal: number): void {
  if (Number(database.prepare(DONE).pluck().get() ?? 0) >= removal) return;
  transaction(database, INDEX_DB, () => {
    removeUnused(database);
    database.prepare(SAVE_DONE).run(String(removal));
  });
}
