import { parseArgs } from "node:util";
import { COLOR_MODES, type Flags } from "../config.ts";
import type { SessionDbError } from "../errors.ts";
import { type Args, choiceOf, isSet, textOf, textsOf } from "./args.ts";
import type { Command } from "./command.ts";
import { COMMANDS, type CommandEntry, FRONT_PAGE, nameOf } from "./commands.ts";
import {
  emptyWord,
  misplacedOption,
  needsNoValue,
  needsValue,
  unexpectedWord,
  unknownCommand,
  unknownOption,
} from "./misuse.ts";
import { GLOBAL_OPTIONS, type OptionTable } from "./options.ts";

/** A parsed command line: the command with its arguments. */
export interface CommandLine {
  entry: CommandEntry;
  command: Command;
  args: Args;
}

/**
 * Parses a command line. With Node's own parser, because loading yargs takes longer than most answers; yargs only
 * writes the help (`help.ts`).
 *
 * @throws SessionDbError `usage`
 */
export async function readCommandLine(argv: readonly string[]): Promise<CommandLine> {
  const { entry, rest } = chooseCommand(argv);
  const command = await entry.load();
  const options = { ...GLOBAL_OPTIONS, ...command.options };
  const tokens = tokensOf(rest, options);
  const asksForHelp = tokens.some((token) => token.kind === "option" && token.name === "help");
  return { entry, command, args: asksForHelp ? { help: true } : argsOf(tokens, entry, command, options) };
}

/** The options for places and colour. */
export function flagsOf(args: Args): Flags {
  return {
    agentDir: textOf(args, "agent-dir"),
    sessionsDir: textsOf(args, "sessions-dir"),
    db: textOf(args, "db"),
    config: textOf(args, "config"),
    timezone: textOf(args, "timezone"),
    color: isSet(args, "no-color") ? "never" : choiceOf(args, "color", COLOR_MODES),
  };
}

/** The options for colour, and for the place of its configuration, also of a command line that is wrong. */
export function flagsIn(argv: readonly string[]): Flags {
  const options = tokensOf(argv, GLOBAL_OPTIONS).filter((token) => token.kind === "option");
  const lastOf = (name: string): string | undefined => options.findLast((each) => each.name === name)?.value;
  const isOff = options.some(({ name }) => name === "no-color");
  return {
    config: lastOf("config"),
    color: isOff ? "never" : COLOR_MODES.find((mode) => mode === lastOf("color")),
  };
}

/** Finds the command: the first word that is neither an option nor the value of one names it. */
function chooseCommand(words: readonly string[]): { entry: CommandEntry; rest: readonly string[] } {
  const tokens = tokensOf(words, GLOBAL_OPTIONS);
  const first = tokens.find((token) => token.kind === "positional");
  if (first === undefined) return { entry: FRONT_PAGE, rest: words };
  if (first.value === "help") return chooseCommand([...words.toSpliced(first.index, 1), "--help"]);
  const entry = commandCalled(first.value);
  if (entry === undefined) throw noCommand(first, tokens);
  const after = words.slice(first.index + 1).map((word) => markDashWord(word, first.value));
  return { entry, rest: [...words.slice(0, first.index), ...after] };
}

function commandCalled(name: string): CommandEntry | undefined {
  return COMMANDS.find((each) => nameOf(each) === name);
}

/** The word may be meant as the value of an option before it: only a command knows which of its options take one. */
function noCommand({ index, value }: PositionalToken, tokens: readonly Token[]): SessionDbError {
  const before = tokens.find((token) => token.index === index - 1);
  const [later] = tokens.flatMap((token) =>
    token.kind === "positional" ? (commandCalled(token.value) ?? []) : [],
  );
  if (before?.kind !== "option" || Object.hasOwn(GLOBAL_OPTIONS, before.name) || later === undefined) {
    return unknownCommand(value);
  }
  return misplacedOption(before.rawName, value, later);
}

interface PositionalToken {
  kind: "positional";
  index: number;
  value: string;
}

interface OptionToken {
  kind: "option";
  index: number;
  name: string;
  rawName: string;
  value: string | undefined;
  /** Whether the value stands in the same word, after a `=`. */
  inlineValue: boolean | undefined;
}

type Token = PositionalToken | OptionToken | { kind: "option-terminator"; index: number };

/** Not in the parser's strict mode: the errors for tokens are made here. */
function tokensOf(words: readonly string[], table: OptionTable): Token[] {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { type, alias }]) => [
      name,
      {
        type: isFlag(type) ? ("boolean" as const) : ("string" as const),
        ...(typeof alias === "string" && { short: alias }),
      },
    ]),
  );
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function isFlag(type: OptionTable[string]["type"]): boolean {
  return type === "boolean";
}

function argsOf(tokens: readonly Token[], entry: CommandEntry, command: Command, options: OptionTable): Args {
  const args: Record<string, unknown> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(unmark(token.value));
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) throw unknownOption(token.rawName, entry, Object.keys(options));
    if (isFlag(option.type)) {
      if (token.value !== undefined) throw needsNoValue(token.rawName);
      args[token.name] = true;
      continue;
    }
    if (token.value === undefined || isOption(token, options)) throw needsValue(token.rawName, entry);
    args[token.name] = [...textsOf(args, token.name), unmark(token.value)];
  }
  const positionals = positionalsOf(words, entry, command);
  if (!command.takesEmptyWords?.(args)) refuseEmptyWords(words, entry, command);
  return { ...args, ...positionals };
}

/**
 * A word that names an option is no value of the option before it, whose value is missing. But `--label=--all` is one.
 */
function isOption({ value = "", inlineValue }: OptionToken, options: OptionTable): boolean {
  const [, name] = /^--([^=]+)/.exec(value) ?? [];
  return !inlineValue && name !== undefined && Object.hasOwn(options, name);
}

/**
 * One word for each positional; if the command's form ends in `..`, the last positional takes all words that are left.
 */
function positionalsOf(words: readonly string[], entry: CommandEntry, command: Command): Args {
  const names = Object.keys(command.positionals ?? {});
  const takesMany = /\.\.[\]>]$/.test(entry.form);
  const extra = takesMany ? undefined : words[names.length];
  if (extra !== undefined) throw unexpectedWord(extra, entry);
  const last = names.length - 1;
  const given = names.map((name, index): [string, unknown] => [
    name,
    takesMany && index === last ? words.slice(index) : words[index],
  ]);
  return Object.fromEntries(given);
}

function refuseEmptyWords(words: readonly string[], entry: CommandEntry, command: Command): void {
  const empty = words.findIndex((word) => word.trim() === "");
  const names = Object.keys(command.positionals ?? {});
  if (empty >= 0) throw emptyWord(names[Math.min(empty, names.length - 1)] ?? "", entry);
}

// A word of a search query may begin with a dash (`-word` excludes it), and a statement with a comment: neither must be
// taken for an option.
const MARK = "\0";
const SHORT_OPTION = /^-[zh](=|$)/;
const COMMENT = /^--\s/;

function markDashWord(word: string, command: string): string {
  const isLeftOut = command === "search" && /^-[^-]/.test(word) && !SHORT_OPTION.test(word);
  return isLeftOut || COMMENT.test(word) ? MARK + word : word;
}

function unmark(word: string): string {
  return word.startsWith(MARK) ? word.slice(MARK.length) : word;
}
