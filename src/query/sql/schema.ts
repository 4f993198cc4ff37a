import type { Index } from "../../db/open.ts";
import { COLUMNS_OF_MANY, type Described, TABLES, VIEWS } from "./schema-notes.ts";

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

/** Every table and view of the index with its columns, each with a sentence. */
export function describeSchema(index: Index): { tables: SchemaTable[]; views: SchemaTable[] } {
  const names = index.database
    .prepare(
      `SELECT name, type FROM sqlite_schema
       WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .all() as { name: string; type: "table" | "view" }[];
  const describe = (type: "table" | "view", notes: Record<string, Described>) =>
    names.filter((each) => each.type === type).map(({ name }) => describeTable(index, name, notes[name]));
  return { tables: describe("table", TABLES), views: describe("view", VIEWS) };
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
      about: notes?.columns[column.name] ?? COLUMNS_OF_MANY[column.name] ?? "",
    })),
  };
}
