import { type ErrorCode, SessionDbError } from "../../errors.ts";
import type { SchemaTable } from "../../reports/sql/describe-schema.ts";
import { plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { type Args, isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { closest } from "../command-line/suggest.ts";
import { printDocument } from "../output/json-output.ts";
import { formatDefinitions } from "../output/snippet-lines.ts";
import { withIndex } from "../with-index.ts";

interface Schema {
  tables: SchemaTable[];
  views: SchemaTable[];
}

export const schema: Command = {
  pages: true,
  positionals: { name: "One table or view" },
  options: {
    all: { describe: "Tables in which the index stores this, too" },
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
    if (context.json) printDocument(context.out, asked);
    else printSchema(context, asked, args);
    return ExitCode.done;
  },
};

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

function printSchema({ out, talk }: Context, { tables, views }: Schema, args: Args): void {
  const { bold, dim } = out.paint;
  const options = { width: out.width, paints: [bold, dim] };
  if (textOf(args, "name") === undefined) {
    const shown = isSet(args, "all") ? tables : tables.filter(({ internal }) => !internal);
    const named = (kind: string) => (table: SchemaTable) => ({
      terms: [table.name, kind],
      about: table.about,
    });
    out.print(formatDefinitions([...shown.map(named("table")), ...views.map(named("view"))], options));
    const hidden = tables.length - shown.length;
    if (hidden > 0)
      talk.say(`\n${plural(hidden, "table")} of the index's own not shown; --all shows them`, talk.paint.dim);
    return;
  }
  for (const { name, about, columns } of [...tables, ...views]) {
    const definitions = columns.map((column) => ({ terms: [column.name, column.type], about: column.about }));
    const [head = "", ...more] = wrapWords(`${name}: ${oneLine(about)}`, out.width);
    const title = [bold(name) + head.slice(name.length), ...more];
    out.print([...title, "", ...formatDefinitions(definitions, options)]);
  }
}
