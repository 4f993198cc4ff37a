/** The pages of reference, from the declarations that the program itself uses. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  COMMAND_GROUPS,
  type Command,
  type CommandEntry,
  type CommandGroup,
  commandName,
} from "../../src/cli/command-line/command.ts";
import { filterOptions } from "../../src/cli/command-line/filter-options.ts";
import { GLOBAL_OPTIONS, type OptionTable } from "../../src/cli/command-line/options.ts";
import { REGISTRY } from "../../src/cli/registry.ts";
import type { SchemaColumn, SchemaTable } from "../../src/reports/sql/describe-schema.ts";
import { PROJECT } from "../helpers/manual.ts";

const GENERATED = "<!-- Written by `npm run docs`. -->";
const FILTERS = filterOptions();
/** Up to here, what an example does begins in one column. */
const LONGEST_EXAMPLE = 48;

interface Described {
  entry: CommandEntry;
  name: string;
  command: Command;
  /** Its own options: neither filters nor those of every command. */
  options: OptionTable;
  takesFilters: boolean;
}

async function describeCommands(): Promise<Described[]> {
  const entries = [REGISTRY.frontPage, ...REGISTRY.commands];
  return Promise.all(
    entries.map(async (entry) => {
      const command = await entry.load();
      const takesFilters = Object.keys(FILTERS).every((name) => name in command.options);
      const own = Object.entries(command.options).filter(([name]) => !takesFilters || !(name in FILTERS));
      return { entry, name: commandName(entry), command, options: Object.fromEntries(own), takesFilters };
    }),
  );
}

function synopsis({ entry }: Described): string {
  return `sessiondb ${entry.form === "$0" ? "" : `${entry.form} `}[options]`;
}

function otherNames({ aliases = [] }: CommandEntry, quote = ""): string {
  const names = aliases.map((alias) => `${quote}${alias}${quote}`);
  return names.length === 0 ? "" : ` (also: ${names.join(", ")})`;
}

function signature(name: string, { alias, value }: OptionTable[string]): string {
  return [alias === undefined ? [] : `-${alias}`, `--${name}`].flat().join(", ") + (value ? ` ${value}` : "");
}

/** docs/commands.md: all there are, with what all of them share. */
export async function commandOverview(): Promise<string> {
  const commands = await describeCommands();
  return [
    "# Commands",
    "",
    GENERATED,
    "",
    "What `--help` says; [the guide](guide.md#what-holds-for-every-command) says what else holds for all of them.",
    "",
    ...COMMAND_GROUPS.flatMap((group) => [
      `## ${group}`,
      "",
      "| | |",
      "| --- | --- |",
      ...commands
        .filter(({ entry }) => entry.group === group)
        .map(
          (each) =>
            `| [${synopsis(each)}](${groupPage(group)}#${slug(headingOf(each))}) | ${each.entry.about} |`,
        ),
      "",
    ]),
    "## Filters",
    "",
    "Options of all commands that take filters; [Search](search.md#filters) explains them.",
    "",
    ...optionTable(FILTERS),
    "",
    "## Options of every command",
    "",
    ...optionTable(GLOBAL_OPTIONS),
    "",
  ].join("\n");
}

/** The page of a group of commands, below docs. */
export function groupPage(group: CommandGroup): string {
  return `commands-${group.toLowerCase()}.md`;
}

/** What stands on it. */
export async function groupReference(group: CommandGroup): Promise<string> {
  const commands = (await describeCommands()).filter(({ entry }) => entry.group === group);
  return [
    `# Commands: ${group}`,
    "",
    GENERATED,
    "",
    "What `--help` says. [All commands](commands.md), [filters](commands.md#filters),",
    "[options of every command](commands.md#options-of-every-command).",
    "",
    ...commands.flatMap(commandSection),
  ].join("\n");
}

function headingOf({ name }: Described): string {
  return name === "" ? "Without a command" : name;
}

function slug(heading: string): string {
  return heading.toLowerCase().replaceAll(" ", "-");
}

function commandSection(described: Described): string[] {
  const { entry, command, options, takesFilters } = described;
  const positionals = Object.entries(command.positionals ?? {});
  const rows = [
    ...positionals.map(([word, about]) => `| \`${word}\` | ${cell(about)} |`),
    ...optionTable(options).slice(2),
    ...(takesFilters ? ["| [filters](commands.md#filters) | |"] : []),
  ];
  return [
    `## ${headingOf(described)}`,
    `${entry.about}: \`${synopsis(described)}\`${otherNames(entry, "`")}`,
    "",
    ...(rows.length > 0 ? ["| | |", "| --- | --- |", ...rows, ""] : []),
    "```sh",
    ...command.examples.map(([line, about]) => {
      return `${line.replaceAll("$0", "sessiondb").padEnd(LONGEST_EXAMPLE)} # ${about}`;
    }),
    "```",
    "",
  ];
}

function optionTable(options: OptionTable): string[] {
  const rows = Object.entries(options).map(
    ([name, option]) => `| \`${signature(name, option)}\` | ${cell(option.describe)} |`,
  );
  return ["| | |", "| --- | --- |", ...rows];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("*", "\\*").replaceAll("<", "&lt;");
}

/** docs/sql-schema.md */
export function tablesReference(tables: readonly SchemaTable[]): string {
  return [
    "# Tables",
    "",
    GENERATED,
    "",
    "What `sessiondb schema` says, for [SQL](cookbook.md). [Views](sql-views.md) put them together for reading.",
    "",
    ...tables.filter(({ internal }) => !internal).flatMap(tableSection),
    "## The index's own",
    "",
    "It may change with any version; `sessiondb schema NAME` names the columns.",
    "",
    "| table | |",
    "| --- | --- |",
    ...tables.filter(({ internal }) => internal).map(({ name, about }) => `| \`${name}\` | ${cell(about)} |`),
    "",
  ].join("\n");
}

/** docs/sql-views.md */
export function viewsReference(views: readonly SchemaTable[]): string {
  const sums = sharedColumns(views);
  const names = sums.map(({ name }) => name);
  const isSum = ({ columns }: SchemaTable): boolean =>
    ownColumns(columns, names).length === columns.length - names.length;
  return [
    "# Views",
    "",
    GENERATED,
    "",
    "What `sessiondb schema` says, for [SQL](cookbook.md), of what is made of [tables](sql-schema.md). A view keeps its name",
    "and columns; it may gain some at its end.",
    "",
    ...views.filter((view) => !isSum(view)).flatMap(tableSection),
    "## Sums of usage",
    "These views have columns of their own, named here, and beside them the same sums.",
    "",
    "| view | | its own columns |",
    "| --- | --- | --- |",
    ...views.filter(isSum).map(({ name, about, columns }) => {
      const own = ownColumns(columns, names).map((column) => `\`${column}\``);
      return `| \`${name}\` | ${cell(about)} | ${own.join(", ")} |`;
    }),
    "",
    ...columnTable(sums),
    "",
  ].join("\n");
}

/** The columns that all views of sums have. */
function sharedColumns(views: readonly SchemaTable[]): SchemaColumn[] {
  const daily = views.find(({ name }) => name === "usage_daily");
  return daily?.columns.slice(1) ?? [];
}

function ownColumns(columns: readonly SchemaColumn[], sums: readonly string[]): string[] {
  return columns.map(({ name }) => name).filter((name) => !sums.includes(name));
}

function tableSection({ name, about, columns }: SchemaTable): string[] {
  return [`## ${name}`, about, "", ...columnTable(columns), ""];
}

function columnTable(columns: readonly SchemaColumn[]): string[] {
  const rows = columns.map(({ name, type, about }) => {
    return `| \`${name}\` | ${type.toLowerCase()} | ${cell(about)} |`;
  });
  return ["| column | type | |", "| --- | --- | --- |", ...rows];
}

const EXIT_CODES: readonly (readonly [string, string])[] = [
  ["0", "Done, also when nothing was found."],
  ["1", "It failed, what was named does not exist, or verify or doctor found an error."],
  ["2", "Wrong usage."],
  ["3, 4", "A budget warns, a budget is over (usage --check)."],
  ["75", "Busy: try again."],
  ["129, 130, 143", "Ended by SIGHUP, SIGINT, SIGTERM."],
];

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ["PI_CODING_AGENT_DIR", "pi's directory, as --agent-dir."],
  ["PI_CODING_AGENT_SESSION_DIR", "Folder of session files, as --sessions-dir."],
  ["XDG_CONFIG_HOME", "Where sessiondb/config.json lies."],
  ["SESSIONDB_PAGER, PAGER", "What long output is shown with; less unless set."],
  ["NO_COLOR, FORCE_COLOR", "No colour, or colour also where no terminal is."],
  ["TZ", "The time zone in which days begin."],
  ["SESSIONDB_DEBUG", "1 adds the stack to a report of a bug."],
];

const FILES: readonly (readonly [string, string])[] = [
  ["~/.pi/agent/sessions", "Session files of pi: read, never changed."],
  ["~/.pi/agent/sessiondb", "The index, which may be deleted at any moment, and files of the daemon."],
  ["~/.config/sessiondb/config.json", "The configuration; there need not be one."],
];

/** docs/sessiondb.1, for man */
export async function manPage(): Promise<string> {
  const { version, description } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
    version: string;
    description: string;
  };
  const commands = await describeCommands();
  return [
    '.\\" Written by npm run docs.',
    `.TH SESSIONDB 1 "" "pi\\-sessiondb ${version}" "User Commands"`,
    ".SH NAME",
    "sessiondb \\- list, search and cost every conversation with the pi coding agent",
    ".SH SYNOPSIS",
    `.B sessiondb\n.RI [ command ] " " [ options ]`,
    ".SH DESCRIPTION",
    roff(description),
    ".PP",
    roff(
      "Every command that asks for sessions first reads what is new. sessiondb COMMAND --help shows one command.",
    ),
    ".SH COMMANDS",
    ...commands.flatMap(manSection),
    ".SH FILTERS",
    ...definitions(optionTerms(FILTERS)),
    ".SH OPTIONS OF EVERY COMMAND",
    ...definitions(optionTerms(GLOBAL_OPTIONS)),
    ".SH EXIT STATUS",
    ...definitions(EXIT_CODES),
    ".SH ENVIRONMENT",
    ...definitions(ENVIRONMENT),
    ".SH FILES",
    ...definitions(FILES),
    ".SH SEE ALSO",
    roff("The manual lies in the package, in docs/README.md."),
    "",
  ].join("\n");
}

function manSection(described: Described): string[] {
  const { entry, command, options, takesFilters } = described;
  return [
    `.SS ${roff(synopsis(described))}`,
    roff(`${entry.about}${otherNames(entry)}.${takesFilters ? " Takes filters." : ""}`),
    ...definitions([...Object.entries(command.positionals ?? {}), ...optionTerms(options)]),
    ...command.examples.flatMap(([line, about]) => [
      ".PP",
      roff(`${about}:`),
      ".PP",
      ".RS 4",
      ".EX",
      roff(line.replaceAll("$0", "sessiondb")),
      ".EE",
      ".RE",
    ]),
  ];
}

function optionTerms(options: OptionTable): [string, string][] {
  return Object.entries(options).map(([name, option]) => [signature(name, option), option.describe]);
}

function definitions(terms: readonly (readonly [string, string])[]): string[] {
  return terms.flatMap(([term, about]) => [".TP", `.B ${roff(term)}`, roff(about)]);
}

/** Text as roff takes it: nothing in it is a request, and a dash is the one that people type. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replace(/^[.']/, "\\&$&");
}
