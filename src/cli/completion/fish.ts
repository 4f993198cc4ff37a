import { type Completes, isDescribed } from "../command-line/options.ts";
import type { CompletedCommand, CompletedOption } from "./shape.ts";

export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const [program, ...named] = commands;
  const takers = (program?.options ?? []).filter(({ value }) => value !== undefined);
  // The word in the place of the command, not any word: `search list` is no list.
  return `# fish completion of sessiondb
function __sessiondb_command_is
  set -l words (commandline -opc)
  set -l i 2
  while test $i -le (count $words)
    switch $words[$i]
      case ${takers.flatMap(({ name, alias }) => [`--${name}`, ...(alias === undefined ? [] : [`-${alias}`])]).join(" ")}
        set i (math $i + 1)
      case '-*'
      case '*'
        test "$words[$i]" = "$argv[1]"
        return
    end
    set i (math $i + 1)
  end
  test -z "$argv[1]"
end
function __sessiondb_ask
  set -l words (commandline -opc)
  set -e words[1]
  sessiondb completion $argv[1] -- $words 2>/dev/null
end
complete -c sessiondb -f
${named
  .filter(({ isAlias }) => !isAlias)
  .map(({ name, about }) => `complete -c sessiondb -n __sessiondb_command_is -a ${name} -d ${quote(about)}`)
  .join("\n")}
${(program?.options ?? []).map((option) => optionLine("__sessiondb_command_is", option)).join("\n")}
${named.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ name, options, completes }: CompletedCommand): string[] {
  const condition = quote(`__sessiondb_command_is ${name}`);
  const words =
    completes === undefined ? [] : [`complete -c sessiondb -n ${condition} ${argumentsOf(completes)}`];
  if (completes === "sessions") {
    const isPath = quote(`__sessiondb_command_is ${name}; and string match -q '*/*' -- (commandline -ct)`);
    words.push(`complete -c sessiondb -n ${isPath} -F`);
  }
  return [...words, ...options.map((option) => optionLine(condition, option))];
}

function optionLine(condition: string, { name, alias, about, value }: CompletedOption): string {
  const short = alias === undefined ? "" : ` -s ${alias}`;
  const takes = value === undefined ? "" : value === "anything" ? " -x" : ` -r ${argumentsOf(value)}`;
  return `complete -c sessiondb -n ${condition} -l ${name}${short}${takes} -d ${quote(about)}`;
}

function argumentsOf(value: Completes): string {
  if (value === "files") return "-F";
  if (isDescribed(value)) return `-k -a '(__sessiondb_ask ${value})'`;
  if (typeof value === "string") return `-f -a '(__sessiondb_ask ${value})'`;
  return `-f -a ${quote(value.join(" "))}`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
