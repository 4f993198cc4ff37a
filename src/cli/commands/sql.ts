import { assertReads } from "../../reports/sql/read-only-gate.ts";
import { formatCount } from "../../text/numbers.ts";
import { apiOf } from "../api-of.ts";
import { type Args, isSet } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { REVEAL_OPTION } from "../command-line/options.ts";
import { CELL_LIMIT, LIMIT, printAnswer, sqlShapeOf, TABLE_LIMIT, TIMEOUT_S } from "../sql/sql-answer.ts";
import { TEAM_OPTION } from "../team/team-options.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

export const sql: Command = {
  pages: true,
  takesEmptyWords: () => true,
  positionals: {
    query: "One SELECT statement and values for its ?; read from standard input if it is - or missing",
  },
  options: {
    csv: { describe: "Comma-separated values (RFC 4180)" },
    tsv: { describe: "Tab-separated values" },
    ndjson: { describe: "One JSON object a line; --nl is the same" },
    nl: { describe: "One JSON object a line" },
    "no-header": { describe: "csv and tsv: without the line of names" },
    raw: {
      describe: "csv and tsv: leave values as they are, even formulas and control characters",
    },
    param: { value: "NAME=VALUE", alias: "p", describe: "Value for :NAME (repeatable)" },
    file: { value: "FILE", alias: "f", completes: "files", describe: "Read the statement from this file" },
    timeout: {
      value: "SECONDS",
      describe: `Give up after N seconds, 0 = never [default: ${TIMEOUT_S}]`,
    },
    limit: {
      value: "N",
      describe: `Maximum number of rows, 0 = all [default: ${formatCount(LIMIT)}; tables ${formatCount(TABLE_LIMIT)}]`,
    },
    ...REVEAL_OPTION,
    "cell-limit": {
      value: "N",
      describe: `Maximum number of characters per value, 0 = all [default: ${formatCount(CELL_LIMIT)}]`,
    },
    ...TEAM_OPTION,
    ...INDEX_OPTIONS,
  },
  examples: [
    ['$0 sql "SELECT cwd, count(*) FROM sessions GROUP BY cwd"', "sessions by project"],
    ["$0 sql --csv < report.sql > report.csv", "a statement from standard input, for a spreadsheet"],
    ['$0 sql "SELECT * FROM usage_daily WHERE day >= :from" -p from=2026-11-01', "with a value"],
    [
      '$0 sql "SELECT entry_json(key) FROM entries WHERE entry_id = ?" 70c5dd8a',
      "an entry as it is in its file; with --reveal also its secrets",
    ],
  ],
  async run(context, args) {
    if (isSet(args, "team")) return askTeam(context, args);
    const { world } = context;
    const shape = sqlShapeOf(args);
    const { readStatement } = await import("../sql/statement.ts");
    const statement = await readStatement(args, world);
    assertReads(statement.sql);
    const { SqlProcess } = await import("../../reports/sql/sql-client.ts");
    // Begun before the index catches up, because each of the two takes as long as a whole command should.
    let child = new SqlProcess(world.sqlProgram);
    let isAsked = false;
    try {
      const batches = await withIndex(context, args, { search: false }, ({ location }) => {
        // A process runs one statement only.
        if (isAsked) {
          child.end();
          child = new SqlProcess(world.sqlProgram);
        }
        isAsked = true;
        return begun(child.run({ location, ...statement, limits: shape.limits }, shape.timeoutMs));
      });
      await printAnswer(context, args, shape, batches);
    } finally {
      child.end();
    }
    return ExitCode.done;
  },
};

/** Over the team's views, in a transaction that can only read. */
async function askTeam(context: Context, args: Args): Promise<number> {
  const shape = sqlShapeOf(args);
  const { limits, timeoutMs } = shape;
  const [{ readStatement }, { withTeam }, { teamRows }] = await Promise.all([
    import("../sql/statement.ts"),
    import("../../api/team.ts"),
    import("../../team/ask/team-sql.ts"),
  ]);
  const statement = await readStatement(args, context.world);
  await withTeam(apiOf(context), (client) =>
    printAnswer(context, args, shape, teamRows(client, { ...statement, limits, timeoutMs })),
  );
  return ExitCode.done;
}

/** Waits for the first rows of an answer: from then on it does not see later changes of the index. */
async function begun<T>(answer: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await answer.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* answer;
  })();
}
