import type { Index } from "../../store/open.ts";
import { COLUMNS_OF_MANY, type Described, TABLES, VIEWS } from "../../store/schema/column-notes.ts";

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
  columns: SchemaColumn[];
}

/**
 * Every table and view of the index with its columns, each with a sentence. The views that show all that a table such as
 * `entry_rows` holds are listed among the tables.
 */
export function describeSchema(index: Index): { tables: SchemaTable[]; views: SchemaTable[] } {
  const names = index.database
    .prepare(
      `SELECT name FROM sqlite_schema
       WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .pluck()
    .all() as string[];
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
    columns: columns.map((column) => ({
      ...column,
      about: notes?.columns[column.name] ?? OF_MANY[column.name] ?? "",
    })),
  };
}
