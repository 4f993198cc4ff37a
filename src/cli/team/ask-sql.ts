import { withTeam } from "../../api/team.ts";
import { teamRows } from "../../team/ask/team-sql.ts";
import { apiOf } from "../api-of.ts";
import type { Args } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { printAnswer, sqlShapeOf } from "../sql/sql-answer.ts";
import { readStatement } from "../sql/statement.ts";

/** `sql --team`: a statement over the team's views, in a transaction that can only read. */
export async function askTeam(context: Context, args: Args): Promise<number> {
  const shape = sqlShapeOf(args);
  const { limits, timeoutMs } = shape;
  const statement = await readStatement(args, context.world);
  await withTeam(apiOf(context), (client) =>
    printAnswer(context, args, shape, teamRows(client, { ...statement, limits, timeoutMs })),
  );
  return ExitCode.done;
}
