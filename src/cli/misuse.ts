import { SessionDbError } from "../errors.ts";
import { COMMANDS, type CommandEntry, FRONT_PAGE, nameOf } from "./commands.ts";
import { closest } from "./suggest.ts";

interface Chosen {
  entry: CommandEntry;
  /** Names of the options the command knows. */
  options: readonly string[];
}

/** What yargs says about a wrong command line, as one line with a way out. */
export function misuse(message: string, argv: readonly string[], chosen: Chosen | undefined): SessionDbError {
  const [, list] = /^Unknown (?:argument|command)s?: (.*)$/.exec(message) ?? [];
  const unknown = list?.split(", ")[0];
  if (unknown === undefined) return usageError(oneSentence(message), seeHelp(chosen));
  const option = argv.find((word) => /^--?/.test(word) && word.replace(/^--?/, "").startsWith(unknown));
  if (option !== undefined) return unknownOption(option, chosen);
  if (chosen === undefined || chosen.entry === FRONT_PAGE) return unknownCommand(unknown);
  return usageError(`Unexpected "${unknown}"`, seeHelp(chosen));
}

function unknownOption(option: string, chosen: Chosen | undefined): SessionDbError {
  const name = option.replace(/=.*$/s, "");
  const near = closest(name.replace(/^--?/, ""), chosen?.options ?? []);
  return usageError(
    `Unknown option ${name}`,
    near === undefined ? seeHelp(chosen) : `Did you mean --${near}?`,
  );
}

function unknownCommand(word: string): SessionDbError {
  const near = closest(word, COMMANDS.map(nameOf));
  const hint = near === undefined ? seeHelp(undefined) : `Did you mean ${near}?`;
  return usageError(`Unknown command "${word}"`, hint);
}

function seeHelp(chosen: Chosen | undefined): string {
  const name = chosen === undefined || chosen.entry === FRONT_PAGE ? "" : ` ${nameOf(chosen.entry)}`;
  return `See sessiondb${name} --help.`;
}

function oneSentence(message: string): string {
  return message.replace(/\s+/g, " ").trim();
}

function usageError(message: string, hint: string): SessionDbError {
  return new SessionDbError("usage", message, { hint });
}
