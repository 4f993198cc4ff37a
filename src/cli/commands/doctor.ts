import { type Command, type Context, ExitCode } from "../command.ts";
import { checkDaemon } from "../doctor/daemon-state.ts";
import { checkEnvironment } from "../doctor/environment.ts";
import { type Finding, LEVELS, type Level } from "../doctor/finding.ts";
import { checkIndex } from "../doctor/index-state.ts";
import { checkPlaces } from "../doctor/places.ts";
import { checkSessionFiles } from "../doctor/session-files.ts";
import { checkTree } from "../doctor/watches.ts";
import { printDocument } from "../output/json.ts";
import { plural } from "../output/numbers.ts";
import { tildePath } from "../output/paths.ts";
import { oneLine } from "../output/sanitise.ts";

export const doctor: Command = {
  options: {},
  examples: [
    ["$0 doctor", "what is wrong, and what to do about it"],
    ["$0 doctor --json", "the same for programs; exit code 1 when something does not work"],
  ],
  async run(context) {
    const found = await examine(context);
    const findings = found.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
    const ok = findings.every(({ level }) => level !== "error");
    if (context.json) printDocument(context.out, { ok, findings });
    else print(context, findings);
    return ok ? ExitCode.done : ExitCode.failed;
  },
};

/** Looks and changes nothing. Without SQLite there is nothing to be learnt of index and daemon. */
async function examine(context: Context): Promise<Finding[]> {
  const environment = checkEnvironment(context);
  const findings = [...environment, ...checkPlaces(context), ...checkTree(context)];
  if (environment.some(({ level }) => level === "error")) return findings;
  return [...findings, ...(await checkDaemon(context)), ...checkIndex(context, checkSessionFiles)];
}

function print(context: Context, findings: readonly Finding[]): void {
  const { out, world } = context;
  const { bold, dim } = out.paint;
  for (const { level, what, where, remedy } of findings) {
    out.print(`${paintOf(context, level)(level.padEnd(INDENT - 1))} ${bold(oneLine(what))}`);
    const shown = oneLine(out.isTerminal ? tildePath(where, world.home) : where);
    if (shown !== "") out.print(`${" ".repeat(INDENT)}${shown}`);
    if (remedy !== "") out.print(`${" ".repeat(INDENT)}${dim("→ ")}${oneLine(remedy)}`);
  }
  out.print(...summaryOf(context, findings));
}

/** As wide as the longest level and a space. */
const INDENT = 9;

function paintOf({ out }: Context, level: Level): (text: string) => string {
  const { red, yellow, dim } = out.paint;
  return { error: red, warning: yellow, note: dim }[level];
}

function summaryOf({ out }: Context, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [out.paint.green("Everything is as it should be.")];
  const counts = LEVELS.map(
    (level) => [level, findings.filter((one) => one.level === level).length] as const,
  );
  const said = counts.filter(([, count]) => count > 0).map(([level, count]) => plural(count, level));
  return ["", `${said.join(", ")}.`];
}
