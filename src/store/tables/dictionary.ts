import { INDEX } from "../databases.ts";
import type { Database, Statement } from "../native.ts";
import { writing } from "../transaction.ts";

type Value = string | number | null;

/** How many of the kinds used last are compared before one is looked up in the map. */
const RECENT = 8;

/** What rows have in common: each combination of values stands once in a table and is known by its number there. */
export class Kinds {
  readonly #find: Statement;
  readonly #insert: Statement;
  /** By all values. Known for the open transaction only: another process may delete unused kinds. */
  readonly #known = new Map<string, number>();
  /** Used last, the latest first: mostly an entry is of the kind of one shortly before. */
  #recent: { values: readonly Value[]; id: number }[] = [];

  constructor(database: Database, table: string, columns: readonly string[]) {
    const isSame = columns.map((column) => `${column} IS ?`).join(" AND ");
    this.#find = database.prepare(`SELECT id FROM ${table} WHERE ${isSame}`).pluck();
    this.#insert = database.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
  }

  idOf(values: readonly Value[]): number {
    const at = this.#recent.findIndex((recent) => areSame(recent.values, values));
    const [found] = at < 0 ? [] : this.#recent.splice(at, 1);
    const kind = found ?? { values, id: this.#look(values) };
    this.#recent.unshift(kind);
    if (this.#recent.length > RECENT) this.#recent.pop();
    return kind.id;
  }

  /** To be called at the beginning of each transaction, and when a part of one was undone. */
  forget(): void {
    this.#known.clear();
    this.#recent = [];
  }

  #look(values: readonly Value[]): number {
    const name = JSON.stringify(values);
    const id = this.#known.get(name) ?? (this.#find.get(...values) as number | undefined);
    const known = id ?? Number(this.#insert.run(...values).lastInsertRowid);
    this.#known.set(name, known);
    return known;
  }
}

function areSame(a: readonly Value[], b: readonly Value[]): boolean {
  return a.every((value, at) => value === b[at]);
}

/** Removes kinds that no row has any more: their values may come from deleted entries only. */
export function removeUnusedKinds(database: Database): void {
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
  writing(database, INDEX, () => {
    removeUnusedKinds(database);
    database.prepare(SAVE_DONE).run(String(removal));
  });
}
