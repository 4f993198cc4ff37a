import { SessionDbError } from "../../errors.ts";
import { type CommandEntry, commandName } from "./command.ts";
import { closest } from "./suggest.ts";

/** The errors for command lines that are wrong, each in one line with a hint. */
export function unknownOption(
  rawName: string,
  entry: CommandEntry,
  options: readonly string[],
): SessionDbError {
  const near = closest(rawName.replace(/^--?/, ""), options);
  return misuse(`unknown option ${rawName}`, near === undefined ? seeHelp(entry) : `Did you mean --${near}?`);
}

/** What other programs, and pi, call the commands. */
const ALSO_CALLED = new Map(
  Object.entries({
    ...{ sessions: "list", grep: "search", cat: "show", view: "show" },
    ...{ costs: "usage", query: "sql", open: "resume", rm: "delete" },
    ...{ index: "sync", update: "sync", rebuild: "sync --rebuild", watch: "sync --watch", check: "doctor" },
    ...{ status: "alone, or sessiondb daemon status" },
  }),
);

export function unknownCommand(word: string, commands: readonly CommandEntry[]): SessionDbError {
  const lower = word.toLowerCase();
  const near = ALSO_CALLED.get(lower) ?? closest(lower, commands.map(commandName));
  return misuse(
    `unknown command "${word}"`,
    near === undefined ? SEE_HELP : `Did you mean sessiondb ${near}?`,
  );
}

export function misplacedOption(rawName: string, value: string, entry: CommandEntry): SessionDbError {
  return misuse(
    `${rawName} comes before the command`,
    `The options of a command come after it: sessiondb ${commandName(entry)} ${rawName} ${value}.`,
  );
}

export function unexpectedWord(word: string, entry: CommandEntry): SessionDbError {
  return misuse(`unexpected "${word}"`, seeHelp(entry));
}

export function emptyWord(name: string, entry: CommandEntry): SessionDbError {
  return misuse(`the ${name} is empty`, seeHelp(entry));
}

export function needsValue(rawName: string, entry: CommandEntry): SessionDbError {
  return misuse(`${rawName} needs a value`, seeHelp(entry));
}

export function needsNoValue(rawName: string): SessionDbError {
  return misuse(`${rawName} takes no value`, "Leave out the = and what follows it.");
}

/** @param given as they are written, dashes and all */
export function notTogether(...given: readonly string[]): SessionDbError {
  return misuse(`${given.join(" and ")} cannot be used together`, "Leave one out.");
}

const SEE_HELP = "See sessiondb --help.";

function seeHelp(entry: CommandEntry): string {
  const name = commandName(entry);
  return name === "" ? SEE_HELP : `See sessiondb ${name} --help.`;
}

function misuse(message: string, hint: string): SessionDbError {
  return new SessionDbError("usage", message, { hint });
}
