import { isExcludedBy } from "../../api/exclusions.ts";
import { scanRoots } from "../../indexing/scan.ts";
import { workingDirectories } from "../../reports/file-problems.ts";
import { type Finding, LEVELS, type Level } from "../../reports/finding.ts";
import type { Index } from "../../store/open.ts";
import { formatCount, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { checkDaemon } from "../doctor/daemon-state.ts";
import { checkFormerRoot, checkOwnFolders } from "../doctor/elsewhere.ts";
import { checkEnvironment, checkThreads } from "../doctor/environment.ts";
import { checkIndex } from "../doctor/index-state.ts";
import { checkArchives, checkPlaces } from "../doctor/places.ts";
import { checkRoom } from "../doctor/room.ts";
import { checkSessionFiles, checkUnread, checkVanished } from "../doctor/session-files.ts";
import { checkTree } from "../doctor/watches.ts";
import { shownPath } from "../output/fields.ts";
import { printDocument, printLines } from "../output/json-output.ts";
import { LINES_OPTION, rowFormatOf } from "../output/rows.ts";

export const doctor: Command = {
  options: LINES_OPTION,
  examples: [
    ["$0 doctor", "what is wrong, and what to do about it"],
    ["$0 doctor --json", "the same for programs; exit code 1 when something does not work"],
  ],
  async run(context, args) {
    const format = rowFormatOf(context, args);
    const found = await examine(context);
    const findings = found.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
    const ok = findings.every(({ level }) => level !== "error");
    if (format === "json") printDocument(context.out, { ok, findings });
    else if (format === "ndjson") printLines(context.out, findings);
    else print(context, findings);
    return ok ? ExitCode.done : ExitCode.failed;
  },
};

/** Changes nothing, but makes a damaged index anew. Without SQLite nothing can be said about the index and the daemon. */
async function examine(context: Context): Promise<Finding[]> {
  const environment = checkEnvironment(context);
  const threads = await checkThreads();
  const findings = [
    ...environment,
    ...threads,
    ...checkPlaces(context),
    ...checkFormerRoot(context.config),
    ...checkRoom(context),
    ...checkTree(context),
  ];
  if (environment.some(({ level }) => level === "error")) return findings;
  return [
    ...findings,
    ...(await checkArchives(context)),
    ...(await checkDaemon(context)),
    ...(await checkIndex(context, checkContent(context))),
  ];
}

/** Whether the index has what there is, and what it says of that. */
function checkContent({ config }: Context): (index: Index) => Finding[] {
  const { roots } = config;
  return (index) => {
    const scan = scanRoots(index.database, roots, { isExcluded: isExcludedBy(config) });
    return [
      ...checkVanished(scan, roots),
      ...checkUnread(index, scan, roots),
      ...checkSessionFiles(index),
      ...checkOwnFolders(workingDirectories(index), config),
    ];
  };
}

function print(context: Context, findings: readonly Finding[]): void {
  const { out } = context;
  for (const alike of kindsOf(findings)) {
    for (const [place, finding] of alike.slice(0, SHOWN).entries()) {
      if (finding.what !== alike[place - 1]?.what) printWhat(context, finding);
      printWhere(context, finding);
    }
    const more = alike.length - SHOWN;
    if (more > 0) {
      const rest = `and ${formatCount(more)} more; sessiondb doctor --json lists them all`;
      out.print(wrapWords(rest, roomOf(context, INDENT)).map((line) => MARGIN + line));
    }
    const remedy = alike[0]?.remedy ?? "";
    if (remedy !== "") printRemedy(context, oneLine(remedy));
  }
  out.print(summaryOf(context, findings));
}

/** How many findings of a kind are listed one by one. */
const SHOWN = 10;

/** Groups findings in a row that have the same level and the same remedy. */
function kindsOf(findings: readonly Finding[]): Finding[][] {
  const kinds: Finding[][] = [];
  for (const finding of findings) {
    const last = kinds.at(-1)?.at(-1);
    if (last?.level === finding.level && last.remedy === finding.remedy) kinds.at(-1)?.push(finding);
    else kinds.push([finding]);
  }
  return kinds;
}

function printWhat(context: Context, { level, what }: Finding): void {
  const { out } = context;
  const [first = "", ...rest] = wrapWords(oneLine(what), roomOf(context, INDENT)).map(out.paint.bold);
  out.print(`${paintOf(context, level)(level.padEnd(INDENT - 1))} ${first}`);
  out.print(rest.map((line) => MARGIN + line));
}

/** A remedy that begins with a capital is a sentence, and is wrapped; a command stays on one line, to be copied. */
function printRemedy(context: Context, remedy: string): void {
  const { out } = context;
  const lines = /^[A-Z]/.test(remedy) ? wrapWords(remedy, roomOf(context, INDENT + ARROW.length)) : [remedy];
  const before = (index: number): string => (index === 0 ? out.paint.dim(ARROW) : " ".repeat(ARROW.length));
  out.print(lines.map((line, index) => MARGIN + before(index) + line));
}

function roomOf({ out }: Context, taken: number): number | undefined {
  return out.width === undefined ? undefined : out.width - taken;
}

function printWhere(context: Context, { where }: Finding): void {
  const shown = shownPath(context, where);
  if (shown !== "") context.out.print(`${MARGIN}${shown}`);
}

/** Columns: as wide as the longest level and a space. */
const INDENT = 9;
const MARGIN = " ".repeat(INDENT);
const ARROW = "→ ";

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
