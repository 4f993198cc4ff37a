import { SessionDbError } from "../../errors.ts";
import { type Command, commandName, type Registry } from "../command-line/command.ts";
import { GLOBAL_OPTIONS } from "../command-line/options.ts";

/** A command that answers a question of the page. */
interface PageCommand {
  /** Its name; empty for the front page. */
  command: string;
  /** What follows it in any case. */
  words?: readonly string[];
  /** The name under which a question has the words of the command. */
  positional?: string;
}

/** What the page may ask, by the place below `/api/v1`. */
const COMMANDS: Readonly<Record<string, PageCommand>> = {
  status: { command: "" },
  sessions: { command: "list" },
  search: { command: "search", positional: "q" },
  usage: { command: "usage", positional: "by" },
  budgets: { command: "usage", words: ["--check"] },
  waste: { command: "usage", words: ["waste"] },
  files: { command: "files", positional: "path" },
  labels: { command: "labels" },
  schema: { command: "schema", positional: "name" },
  doctor: { command: "doctor" },
};

/** Where it is decided by the server, or would write a file. */
const NOT_ASKED = new Set([...Object.keys(GLOBAL_OPTIONS), "no-sync", "masked", "reveal", "otlp"]);

export interface PageLine {
  argv: string[];
  format: "json" | "csv";
  /** Whether the command masks secrets itself. */
  isMasked: boolean;
}

/**
 * The command line that answers a question of the page: its options are those of the command, by their names.
 *
 * @throws SessionDbError `not_found` for a place that there is not, `usage` for an option that is not the page's to give
 */
export async function commandLineFor(
  { path, query }: { path: string; query: readonly [string, string][] },
  { registry, sync, reveal }: { registry: Registry; sync: boolean; reveal: boolean },
): Promise<PageLine> {
  const asked = Object.hasOwn(COMMANDS, path) ? COMMANDS[path] : undefined;
  if (asked === undefined) throw new SessionDbError("not_found", "there is no such question");
  const { options } = await commandOf(asked.command, registry);
  const knows = (name: string): boolean => name in options;
  const format = query.some(([name]) => name === "csv") && knows("csv") ? "csv" : "json";
  const words = query.flatMap(([name, value]) => (name === asked.positional ? [value] : []));
  const given = query.flatMap(([name, value]) =>
    name === asked.positional || name === "csv" ? [] : [optionFor(name, value, options)],
  );
  return {
    argv: [
      ...(asked.command === "" ? [] : [asked.command]),
      ...(asked.words ?? []),
      `--${format}`,
      ...(knows("no-sync") && !sync ? ["--no-sync"] : []),
      ...(knows("masked") && !reveal ? ["--masked"] : []),
      ...(knows("reveal") && reveal ? ["--reveal"] : []),
      ...given,
      ...(words.length > 0 ? ["--", ...words] : []),
    ],
    format,
    isMasked: reveal || (format === "json" && (knows("masked") || knows("reveal"))),
  };
}

async function commandOf(name: string, { frontPage, commands }: Registry): Promise<Command> {
  const entry = [frontPage, ...commands].find((each) => commandName(each) === name);
  if (entry === undefined) throw new Error(`there is no command ${name}`);
  return entry.load();
}

function optionFor(name: string, value: string, options: Command["options"]): string {
  if (NOT_ASKED.has(name) || !/^[a-z][a-z-]*$/.test(name))
    throw new SessionDbError("usage", `the page cannot ask with ${JSON.stringify(name)}`);
  // What the command does not know it refuses itself, and says what is meant perhaps.
  const takesValue = options[name]?.value !== undefined || !Object.hasOwn(options, name);
  return takesValue && value !== "" ? `--${name}=${value}` : `--${name}`;
}
