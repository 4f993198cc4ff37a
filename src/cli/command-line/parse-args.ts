import { COLOR_MODES, type Flags } from "../../config/config.ts";
import { SessionDbError } from "../../errors.ts";
import { type Args, choiceOf, isSet, textOf, textsOf } from "./args.ts";
import { type Command, type CommandEntry, commandName, type Registry } from "./command.ts";
import { GLOBAL_OPTIONS, type OptionTable } from "./options.ts";
import {
  emptyWord,
  misplacedOption,
  needsNoValue,
  needsValue,
  unexpectedWord,
  unknownCommand,
  unknownOption,
} from "./usage-errors.ts";

/** A parsed command line: the command with its arguments. */
export interface CommandLine {
  entry: CommandEntry;
  command: Command;
  args: Args;
}

/**
 * Parses a command line twice, with the parser of yargs: by the options of every command to find which it is, then by
 * those of that command, too. yargs itself only writes the help (`help.ts`), because loading it takes half as long as
 * most commands.
 *
 * @throws SessionDbError `usage`
 */
export async function readCommandLine(argv: readonly string[], registry: Registry): Promise<CommandLine> {
  const parser = await loadParser();
  const { entry, before, after } = chooseCommand(argv, registry, parser);
  const command = await entry.load();
  const options = { ...GLOBAL_OPTIONS, ...command.options };
  const isMarked = entry.takesDashes === true;
  const rest = [...before, ...(isMarked ? after.map((word) => markDashWord(word, options)) : after)];
  const { args, words, unknown, complaint } = parse(rest, options, parser);
  // Who asks for help may have got the rest wrong.
  for (const name of ["help", "version"])
    if (isSet(args, name)) return { entry, command, args: { [name]: true } };
  if (unknown !== undefined) throw unknownOption(unknown, entry, Object.keys(options));
  if (complaint !== undefined) throw miscounted(complaint, entry);
  const all = { ...args, ...positionalsOf(words, entry, command) };
  if (!command.takesEmptyWords?.(all)) refuseEmptyWords(words, entry, command);
  return { entry, command, args: all };
}

/**
 * What a line that is still being typed says so far, be it wrong: the options of the command that it names, as far as they
 * are known, and the words after that command.
 */
export async function readUnfinished(
  argv: readonly string[],
  registry: Registry,
): Promise<{ args: Args; words: readonly string[] }> {
  const parser = await loadParser();
  try {
    const { entry, before, after } = chooseCommand(argv, registry, parser);
    const { options } = await entry.load();
    return parse([...before, ...after], { ...GLOBAL_OPTIONS, ...options }, parser);
  } catch (error) {
    if (!(error instanceof SessionDbError)) throw error;
    return parse(argv, GLOBAL_OPTIONS, parser);
  }
}

type Parser = Awaited<ReturnType<typeof loadParser>>;

/** Loaded only once it is known that Node is new enough: the parser throws on an old one. */
async function loadParser() {
  return (await import("yargs-parser")).default;
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
export async function flagsIn(argv: readonly string[]): Promise<Flags> {
  const { args } = parse(argv, GLOBAL_OPTIONS, await loadParser());
  const config = [args.config].flat().at(-1);
  const color = [args.color].flat().at(-1);
  return {
    config: config === undefined ? undefined : String(config),
    color: isSet(args, "no-color") ? "never" : COLOR_MODES.find((mode) => mode === color),
  };
}

/** Finds the command: the first word that is neither an option nor the value of one names it. */
function chooseCommand(
  argv: readonly string[],
  registry: Registry,
  parser: Parser,
): { entry: CommandEntry; before: readonly string[]; after: readonly string[] } {
  const at = argv.findIndex(
    (_, index) => parse(argv.slice(0, index + 1), GLOBAL_OPTIONS, parser).words.length > 0,
  );
  const name = argv[at];
  if (name === undefined) return { entry: registry.frontPage, before: argv, after: [] };
  if (name === "help") return chooseCommand([...argv.toSpliced(at, 1), "--help"], registry, parser);
  if (name === "version") return { entry: registry.frontPage, before: ["--version"], after: [] };
  const called = (word: string) =>
    [registry.frontPage, ...registry.commands].find(
      (each) => commandName(each) === word || each.aliases?.includes(word),
    );
  const entry = called(name);
  if (entry !== undefined) {
    const after = argv.slice(at + 1);
    const isWhole = entry.takesCommandLine === true && !isHelp(after[0]);
    return { entry, before: argv.slice(0, at), after: isWhole ? ["--", ...after] : after };
  }
  // It may be meant as the value of an option before it: only a command knows which of its options take one.
  const before = bare(argv[at - 1] ?? "");
  const later = parse(argv, GLOBAL_OPTIONS, parser).words.flatMap((word) => called(word) ?? [])[0];
  const isGlobal = Object.hasOwn(GLOBAL_OPTIONS, before.replace(/^--/, ""));
  if (!isOptionLike(before) || isGlobal || later === undefined) throw unknownCommand(name, registry.commands);
  throw misplacedOption(before, name, later);
}

function isHelp(word: string | undefined): boolean {
  return word === "--help" || word === "-h";
}

interface Parsed {
  /** Options by their names: true, a text, or the texts of one that was given more than once. */
  args: Args;
  /** What is neither an option nor the value of one. */
  words: string[];
  /** The first option that is not in the table, as it was written, without its value. */
  unknown: string | undefined;
  /** What the parser says of an option that lacks its value, or has one and takes none. */
  complaint: string | undefined;
}

function parse(argv: readonly string[], options: OptionTable, parser: Parser): Parsed {
  const names = Object.keys(options);
  const takesValue = (name: string): boolean => options[name]?.value !== undefined;
  const { argv: parsed, error } = parser.detailed(splitShort(argv, options), {
    configuration: CONFIGURATION,
    string: names.filter(takesValue),
    boolean: names.filter((name) => !takesValue(name)),
    narg: Object.fromEntries(names.map((name) => [name, takesValue(name) ? 1 : 0])),
    alias: Object.fromEntries(names.map((name) => [name, options[name]?.alias ?? []])),
  });
  const { _: found, "--": literal = [], ...args } = parsed;
  const given = found.map(String);
  // The parser takes names that every object has, like `constructor`, for known ones.
  const inherited = Object.keys(args).filter((name) => !Object.hasOwn(options, name));
  return {
    args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, unmarked(value)])),
    words: [...given.filter((word) => !isOptionLike(word)), ...literal.map(String)].map(unmark),
    unknown: [...given.filter(isOptionLike).map(bare), ...inherited.map(dashed)][0],
    complaint: error?.message,
  };
}

/** The parser says it in one of two sentences, each with the option's name at the end. */
function miscounted(complaint: string, entry: CommandEntry): Error {
  const name = dashed(complaint.slice(complaint.lastIndexOf(" ") + 1));
  return complaint.startsWith("Not enough") ? needsValue(name, entry) : needsNoValue(name);
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

/** An option without its value, or only the first of several with one letter each. */
function bare(option: string): string {
  return option.startsWith("--") ? option.replace(/=.*/s, "") : option.slice(0, 2);
}

const CONFIGURATION = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "parse-numbers": false,
  "parse-positional-numbers": false,
  "populate--": true,
  "strip-aliased": true,
  // They may be the value of the option before them. Where they are not, they are found among the words.
  "unknown-options-as-args": true,
};

/** A comment of SQL is none. */
function isOptionLike(word: string): boolean {
  return /^-(?:[^-]|-\S)/.test(word);
}

/** `-zUTC` is `-z UTC`, which the parser takes for four options. */
function splitShort(argv: readonly string[], options: OptionTable): string[] {
  const valued = Object.values(options).flatMap(({ alias, value }) =>
    value === undefined ? [] : (alias ?? []),
  );
  const end = argv.indexOf("--");
  return argv.flatMap((word, index) => {
    const isShort = /^-\w[^=]/.test(word) && valued.includes(word.slice(1, 2)) && (end < 0 || index < end);
    return isShort ? [word.slice(0, 2), word.slice(2)] : [word];
  });
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

// A word of a search query may begin with a dash (`-word` excludes it), and must not be taken for an option.
const MARK = "\0";

/** A word that excludes another is no option: `-nothing` is not `-n othing`, but `-n5` is `-n 5`. */
function markDashWord(word: string, options: OptionTable): string {
  return /^-[^-]/.test(word) && !isShortOption(word, options) ? MARK + word : word;
}

function isShortOption(word: string, options: OptionTable): boolean {
  const option = Object.values(options).find(({ alias }) => alias !== undefined && alias === word.charAt(1));
  if (option === undefined) return false;
  return option.value === undefined ? word.length === 2 : /^(?:=|\d+$|$)/.test(word.slice(2));
}

function unmark(word: string): string {
  return word.startsWith(MARK) ? word.slice(MARK.length) : word;
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  return typeof value === "string" ? unmark(value) : value;
}
