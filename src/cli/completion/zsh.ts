import { type Completes, isDescribed } from "../command-line/options.ts";
import type { CompletedCommand, CompletedOption } from "./shape.ts";

/** Works sourced (`source <(sessiondb completion zsh)`) and as a file `_sessiondb` in `fpath`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const [program, ...named] = commands;
  // (-): what follows the command belongs to it, also an option that the program has, too.
  return `#compdef sessiondb
_sessiondb_ask() {
  local -a given
  local i
  for ((i = 2; i < line_at; i++)); do given+=("\${(Q)line_words[i]}"); done
  sessiondb completion $1 -- "\${given[@]}" 2>/dev/null
}
_sessiondb_described() {
  local kind="\${@[-1]}"
  if [[ $kind == sessions && $PREFIX == */* ]]; then _files "\${@[1,-2]}"; return; fi
  local -a found
  local id title
  while IFS=$'\\t' read -r id title; do
    found+=("$id:\${\${title//\\\\/\\\\\\\\}//:/\\\\:}")
  done < <(_sessiondb_ask $kind)
  _describe -V "$kind" found
}
_sessiondb_names() {
  local -a names
  names=(\${(f)"$(_sessiondb_ask \${@[-1]})"})
  compadd "\${@[1,-2]}" -a names
}
_sessiondb() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  # Of the whole line: what follows divides it.
  local -a line_words=("\${words[@]}") commands
  local line_at=$CURRENT
  commands=(
${named
  .filter(({ isAlias }) => !isAlias)
  .map(({ name, about }) => `    ${quote(`${name}:${about.replaceAll(":", "\\:")}`)}`)
  .join("\n")}
  )
  _arguments -C \\
${(program?.options ?? [])
  .flatMap(specsOf)
  .map((spec) => `    ${spec} \\`)
  .join("\n")}
    '(-)1: :->command' '(-)*:: :->words'
  case $state in
    command) _describe command commands ;;
    words)
      case $words[1] in
${named.map(caseOf).join("\n")}
      esac ;;
  esac
}
if [ "$funcstack[1]" = "_sessiondb" ]; then _sessiondb "$@"; else compdef _sessiondb sessiondb; fi
`;
}

function caseOf({ name, options, completes }: CompletedCommand): string {
  const specs = options.flatMap(specsOf).map((spec) => `          ${spec} \\`);
  return `        ${name}) _arguments -S \\\n${specs.join("\n")}\n          ${quote(`*: :${actionOf(completes ?? "anything")}`)} ;;`;
}

/** `--limit=[How many]: :`: the value after = or as the next word, a description in brackets, then what it may be. */
function specsOf({ name, alias, about, value }: CompletedOption): string[] {
  const explained = `[${about.replace(/[[\]\\:]/g, "\\$&")}]`;
  const takes = value === undefined ? "" : `: :${actionOf(value)}`;
  const long = quote(`--${name}${value === undefined ? "" : "="}${explained}${takes}`);
  return alias === undefined ? [long] : [long, quote(`-${alias}${explained}${takes}`)];
}

function actionOf(value: Completes | "anything"): string {
  if (value === "files") return "_files";
  if (isDescribed(value)) return `_sessiondb_described ${value}`;
  if (value === "anything") return " ";
  return typeof value === "string" ? `_sessiondb_names ${value}` : `(${value.join(" ")})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
