import type { Completes } from "../command.ts";
import type { CompletedCommand, CompletedOption } from "./shape.ts";

export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const [program, ...named] = commands;
  const none = "not __fish_seen_subcommand_from $sessiondb_commands";
  return `# fish completion of sessiondb
set -l sessiondb_commands ${named.map(({ name }) => name).join(" ")}
complete -c sessiondb -f
${named.map(({ name, about }) => `complete -c sessiondb -n "${none}" -a ${name} -d ${quote(about)}`).join("\n")}
${(program?.options ?? []).map((option) => optionLine(`"${none}"`, option)).join("\n")}
${named.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ name, options, completes }: CompletedCommand): string[] {
  const condition = quote(`__fish_seen_subcommand_from ${name}`);
  const words =
    completes === undefined ? [] : [`complete -c sessiondb -n ${condition} ${argumentsOf(completes)}`];
  return [...words, ...options.map((option) => optionLine(condition, option))];
}

function optionLine(condition: string, { name, alias, about, value }: CompletedOption): string {
  const short = alias === undefined ? "" : ` -s ${alias}`;
  const takes = value === undefined ? "" : value === "anything" ? " -x" : ` -r ${argumentsOf(value)}`;
  return `complete -c sessiondb -n ${condition} -l ${name}${short}${takes} -d ${quote(about)}`;
}

function argumentsOf(value: Completes): string {
  if (value === "files") return "-F";
  if (value === "sessions")
    return "-k -a '(printf \"latest\\tthe session that was active last\\n\"; sessiondb completion sessions 2>/dev/null)'";
  return `-f -a ${quote(value.join(" "))}`;
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
