import type { Completes } from "../command.ts";
import type { CompletedCommand, CompletedOption } from "./shape.ts";

/** For bash 3.2 (macOS) and newer; `complete -o default` gives file names where nothing better is known. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).filter(Boolean);
  const takers = new Set(commands[0]?.options.filter(({ value }) => value !== undefined).flatMap(spellings));
  // Not by `compgen -W`, which runs what a word says in backquotes.
  return `# bash completion of sessiondb
_sessiondb_sessions() {
  local word
  for word in latest $(sessiondb completion sessions 2>/dev/null | cut -f1); do
    if [[ $word == "$1"* ]]; then COMPREPLY+=("$word"); fi
  done
}
_sessiondb() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${[...takers].join("|")}) ((i++)) ;;
      -*) ;;
      *) command="\${COMP_WORDS[i]}"; break ;;
    esac
  done
  case "$command $prev" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$command" in
${commands.map(commandCase).join("\n")}
    *) COMPREPLY=() ;;
  esac
  if [[ -z $command && $cur != -* ]]; then
    COMPREPLY=($(compgen -W "${names.join(" ")}" -- "$cur"))
  fi
}
complete -o default -F _sessiondb sessiondb
`;
}

function spellings({ name, alias }: CompletedOption): string[] {
  return [`--${name}`, ...(alias === undefined ? [] : [`-${alias}`])];
}

function valueCases({ name: command, options }: CompletedCommand): string[] {
  return options.flatMap((option) => {
    if (option.value === undefined) return [];
    const patterns = spellings(option).map((each) => `"${command} ${each}"`);
    return [`    ${patterns.join("|")}) ${offer(option.value)}; return ;;`];
  });
}

function commandCase({ name, options, completes }: CompletedCommand): string {
  const all = options.flatMap(spellings).join(" ");
  return `    "${name}")
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "${all}" -- "$cur"))
      else ${offer(completes ?? "anything")}; fi ;;`;
}

function offer(value: Completes | "anything"): string {
  // Bash itself offers files then, and knows how to write a name with a space in it.
  if (value === "files" || value === "anything") return "COMPREPLY=()";
  if (value === "sessions") return '_sessiondb_sessions "$cur"';
  return `COMPREPLY=($(compgen -W "${value.join(" ")}" -- "$cur"))`;
}
