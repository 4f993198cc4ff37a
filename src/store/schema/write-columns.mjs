import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { getTableColumns, getTableName, isTable } from "drizzle-orm";
import { getViewConfig } from "drizzle-orm/sqlite-core";
import { rolldown } from "rolldown";

/**
 * The second half of `npm run db:generate`: writes `tables/columns.ts`, which has the names of the columns at run time,
 * where drizzle is not loaded. Another file can be named instead, to be compared.
 */

const folder = import.meta.dirname;
const [target = resolve(folder, "../tables/columns.ts")] = process.argv.slice(2);

const bundle = await rolldown({ input: resolve(folder, "../schema.ts"), platform: "node" });
const { output } = await bundle.generate();
/** @type {Record<string, import("drizzle-orm/sqlite-core").SQLiteTable | import("drizzle-orm/sqlite-core").SQLiteView>} */
const schema = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);

const tables = Object.entries(schema).map(([exported, table]) => {
  const columns = isTable(table) ? getTableColumns(table) : getViewConfig(table).selectedFields;
  return {
    exported,
    name: isTable(table) ? getTableName(table) : getViewConfig(table).name,
    columns: Object.entries(columns).map(([property, { name }]) => `    ${property}: "${name}",`),
  };
});
tables.sort((a, b) => (a.name < b.name ? -1 : 1));

const text = `// Written by \`npm run db:generate\` from ../schema.ts.
import type * as schema from "../schema.ts";

/** The columns of each table and view, in their order, by what their values are called in rows. */
export const COLUMNS = {
${tables.map(({ name, columns }) => `  ${name}: {\n${columns.join("\n")}\n  },`).join("\n")}
} as const;

/** A whole row of each. */
export interface Rows {
${tables.map(({ name, exported }) => `  ${name}: typeof schema.${exported}.$inferSelect;`).join("\n")}
}
`;
writeFileSync(target, text);
