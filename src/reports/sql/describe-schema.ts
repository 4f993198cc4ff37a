import type { Index } from "../../store/open.ts";
import {
  COLUMNS_OF_MANY,
  type Described,
  PUBLIC_TABLES,
  TABLES,
  VIEWS,
} from "../../store/schema/column-notes.ts";

const ORDER = [...PUBLIC_TABLES, ...Object.keys(VIEWS)] as readonly string[];
const NOTES: Record<string, Described> = { ...TABLES, ...VIEWS };
const OF_MANY: Record<string, string> = COLUMNS_OF_MANY;

export interface SchemaColumn {
  name: string;
  type: string;
  about: string;
}

export interface SchemaTable {
  name: string;
  about: string;
  /** Whether it is how the index stores something, or works: it may change with any version. */
  internal: boolean;
  columns: SchemaColumn[];
}

/**
 * Every table and view of the index with its columns, each with a sentence. The views that show all that a table such as
 * `entry_rows` holds are listed among the tables. What people ask for comes first.
 */
export function describeSchema(index: Index): { tables: SchemaTable[]; views: SchemaTable[] } {
  const all = index.database
    .prepare(
      `SELECT name FROM sqlite_schema
       WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .pluck()
    .all() as string[];
  // A stable sort: internal ones stay in the order of their names.
  const place = (name: string): number => (ORDER.indexOf(name) + ORDER.length + 1) % (ORDER.length + 1);
  const names = all.toSorted((a, b) => place(a) - place(b));
  const isView = (name: string): boolean => name in VIEWS;
  return {
    tables: names.filter((name) => !isView(name)).map((name) => describeTable(index, name, NOTES[name])),
    views: names.filter(isView).map((name) => describeTable(index, name, NOTES[name])),
  };
}

function describeTable(index: Index, name: string, notes: Described | undefined): SchemaTable {
  const columns = index.database.prepare("SELECT name, type FROM pragma_table_info(?)").all(name) as {
    name: string;
    type: string;
  }[];
  return {
    name,
    about: notes?.about ?? "",
    internal: !ORDER.includes(name),
    columns: columns.map((column) => ({
      ...column,
      about: notes?.columns[column.name] ?? OF_MANY[column.name] ?? "",
    })),
  };
}
