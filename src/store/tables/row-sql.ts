import type { Database, Statement } from "../native.ts";
import { COLUMNS, type Rows } from "./columns.ts";

/*
 * What statements say of whole rows, from the declaration of the tables: `columns.ts` has their columns, so that a new one is
 * written and read without a change to any statement.
 */

export type Table = keyof Rows;

export type Property<T extends Table> = keyof Rows[T] & string;

/** The properties of a table's rows in the order of its columns. */
export function propertiesOf<T extends Table, Left extends Property<T> = never>(
  table: T,
  left: readonly Left[] = [],
): Exclude<Property<T>, Left>[] {
  const names = Object.keys(COLUMNS[table]) as Property<T>[];
  return names.filter(
    (name): name is Exclude<Property<T>, Left> => !(left as readonly string[]).includes(name),
  );
}

/** The column that has a property of a table's rows. */
export function columnOf<T extends Table>(table: T, property: Property<T>): string {
  return (COLUMNS[table] as Record<Property<T>, string>)[property];
}

/** What a SELECT lists to give these properties of a table's rows. */
export function selectList<T extends Table>(table: T, properties: readonly Property<T>[]): string {
  return properties.map((name) => `${columnOf(table, name)} AS ${name}`).join(", ");
}

/** What an UPDATE sets, each column to what `value` gives for it. */
export function setList<T extends Table>(
  table: T,
  properties: readonly Property<T>[],
  value: (column: string) => string,
): string {
  return properties.map((name) => `${columnOf(table, name)} = ${value(columnOf(table, name))}`).join(", ");
}

/** Values of a row, to be bound by position: to look up so many names would take longer than to write the row. */
export function valuesOf<Row>(row: Row, properties: readonly (keyof Row)[]): unknown[] {
  return properties.map((name) => row[name]);
}

/** Inserts rows into a table, with all their columns but those that are `left` to SQLite. */
export class RowInsert<T extends Table, Left extends Property<T> = never> {
  readonly #properties: Exclude<Property<T>, Left>[];
  readonly #statement: Statement;

  constructor(database: Database, table: T, options: InsertOptions<Left> = {}) {
    const { left = [], replaces = false, onConflict = "" } = options;
    this.#properties = propertiesOf(table, left);
    const columns = this.#properties.map((name) => columnOf(table, name));
    this.#statement = database.prepare(
      `INSERT ${replaces ? "OR REPLACE " : ""}INTO ${table} (${columns}) VALUES (${columns.map(() => "?")}) ${onConflict}`,
    );
  }

  /** Whoever makes many rows names each field: to spread objects into one takes V8 three times as long as to insert it. */
  run(row: Omit<Rows[T], Left>): ReturnType<Statement["run"]> {
    return this.#statement.run(...valuesOf(row, this.#properties));
  }
}

interface InsertOptions<Left> {
  left?: readonly Left[];
  /** A row with the same key gives way. */
  replaces?: boolean;
  /** What follows the values. */
  onConflict?: string;
}
