import { type ErrorCode, SessionDbError } from "../../errors.ts";
import type { describeSchema, SchemaColumn, SchemaTable } from "../../reports/sql/describe-schema.ts";
import { plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { type Args, isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { closest } from "../command-line/suggest.ts";
import { printDocument } from "../output/json-output.ts";
import { printRows, ROW_OPTIONS, rowFormatOf } from "../output/rows.ts";
import { formatDefinitions } from "../output/snippet-lines.ts";
import type { AnswerColumn } from "../output/table.ts";
import { withIndex } from "../with-index.ts";

type Schema = ReturnType<typeof describeSchema>;

export const schema: Command = {
  pages: true,
  positionals: { name: "One table or view" },
  options: {
    all: { describe: "Tables in which the index stores this, too" },
    ...ROW_OPTIONS,
  },
  examples: [
    ["$0 schema", "all tables and views, each with a sentence"],
    ["$0 schema sessions", "the columns of one table"],
  ],
  async run(context, args) {
    const { describeSchema } = await import("../../reports/sql/describe-schema.ts");
    const ask = (noSync: boolean): Promise<Schema> =>
      withIndex(context, { ...args, "no-sync": noSync }, { search: false }, describeSchema);
    // Without catching up, since the tables are the same whatever is in them. Only where there are none yet, or those
    // of an earlier version, they are made first.
    const whole = await ask(true).catch((error: unknown) => {
      if (error instanceof SessionDbError && MADE_FIRST.includes(error.code)) return ask(false);
      throw error;
    });
    const asked = onlyNamed(whole, textOf(args, "name"));
    const format = rowFormatOf(context, args);
    if (format === "json") printDocument(context.out, asked);
    else if (format === "table") printSchema(context, asked, args);
    else if (textOf(args, "name") === undefined) {
      const rows = [...shownTables(asked, args), ...asked.views];
      printRows(context.out, { columns: tableColumns(asked), rows }, { format, args });
    } else {
      const rows = [...asked.tables, ...asked.views].flatMap(({ columns }) => columns);
      printRows(context.out, { columns: COLUMN_COLUMNS, rows }, { format, args });
    }
    if (format !== "json") sayHidden(context, asked, args);
    return ExitCode.done;
  },
};

function tableColumns({ views }: Schema): AnswerColumn<SchemaTable>[] {
  return [
    { name: "name", value: ({ name }) => name },
    { name: "kind", value: (row) => (views.includes(row) ? "view" : "table") },
    { name: "about", value: ({ about }) => about },
  ];
}

const COLUMN_COLUMNS: readonly AnswerColumn<SchemaColumn>[] = [
  { name: "name", value: ({ name }) => name },
  { name: "type", value: ({ type }) => type },
  { name: "about", value: ({ about }) => about },
];

/** Those in which the index stores what other tables say are for who asks for all. */
function shownTables({ tables }: Schema, args: Args): SchemaTable[] {
  return isSet(args, "all") ? tables : tables.filter(({ internal }) => !internal);
}

const MADE_FIRST: readonly ErrorCode[] = ["not_found", "busy"];

function onlyNamed(schema: Schema, name: string | undefined): Schema {
  if (name === undefined) return schema;
  const named = (tables: SchemaTable[]): SchemaTable[] =>
    tables.filter((table) => table.name.toLowerCase() === name.toLowerCase());
  const found = { tables: named(schema.tables), views: named(schema.views) };
  if (found.tables.length + found.views.length > 0) return found;
  const near = closest(
    name,
    [...schema.tables, ...schema.views].map((table) => table.name),
  );
  throw new SessionDbError("not_found", `there is no table or view "${name}"`, {
    hint: near === undefined ? "sessiondb schema lists them all." : `Did you mean ${near}?`,
  });
}

function sayHidden({ talk }: Context, { tables }: Schema, args: Args): void {
  const hidden =
    textOf(args, "name") === undefined && !isSet(args, "all")
      ? tables.filter(({ internal }) => internal)
      : [];
  if (hidden.length === 0) return;
  const what = `${plural(hidden.length, "table")} of the index's own not shown; --all shows them`;
  talk.say(`\n${what}`, talk.paint.dim);
}

function printSchema({ out }: Context, asked: Schema, args: Args): void {
  const { tables, views } = asked;
  const { bold, dim } = out.paint;
  const options = { width: out.width, paints: [bold, dim] };
  if (textOf(args, "name") === undefined) {
    const shown = shownTables(asked, args);
    const named = (kind: string) => (table: SchemaTable) => ({
      terms: [table.name, kind],
      about: table.about,
    });
    out.print(formatDefinitions([...shown.map(named("table")), ...views.map(named("view"))], options));
    return;
  }
  for (const { name, about, columns } of [...tables, ...views]) {
    const definitions = columns.map((column) => ({ terms: [column.name, column.type], about: column.about }));
    const [head = "", ...more] = wrapWords(`${name}: ${oneLine(about)}`, out.width);
    const title = [bold(name) + head.slice(name.length), ...more];
    out.print([...title, "", ...formatDefinitions(definitions, options)]);
  }
}
