import { type Completes, isDescribed } from "../command-line/options.ts";
import type { CompletedCommand, CompletedOption } from "./shape.ts";

/**
 * For bash 3.2 (macOS) and newer. `complete -o default` offers file names where nothing else is offered; newer versions
 * of bash are told not to (`compopt`).
 */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.flatMap(({ name, isAlias }) => (name === "" || isAlias ? [] : [name]));
  const takers = new Set(commands[0]?.options.filter(({ value }) => value !== undefined).flatMap(spellings));
  // A name that is no plain word is escaped as it would be typed; after an opening quote it is offered if it can stand
  // there as it is. Not by `compgen -W`, which runs what stands in backquotes in a word. Titles are shown only where
  // bash lists candidates (COMP_TYPE ?, ! and @), never where it inserts one. Bash also divides words at =, : and @:
  // the parts are joined where nothing stands between them on the line, and bash gets only what follows the last of
  // these signs.
  return `# bash completion of sessiondb
_sessiondb_join() {
  local i word gap rest="\${COMP_LINE:0:COMP_POINT}"
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    gap="\${rest%%[! $'\\t\\n']*}"
    rest="\${rest#"$gap"}"
    if [[ $i -eq $COMP_CWORD && $word == "$rest"* ]]; then word="$rest"; fi
    rest="\${rest#"$word"}"
    if [[ $i -gt 0 && -z $gap && ($word == [=:@]* || \${words[last]} == *[=:@]) ]]; then words[last]+="$word"
    else last=\${#words[@]} words+=("$word"); fi
  done
  if [[ $word != *[!=:@]* ]]; then word=""; fi
  head="\${words[last]%"$word"}"
}
_sessiondb_ask() {
  local i given=()
  for ((i = 1; i < last; i++)); do given+=("\${words[i]//[\\"\\'\\\\]/}"); done
  sessiondb completion "$1" -- \${given[@]+"\${given[@]}"} 2>/dev/null
}
_sessiondb_described() {
  local id title room=$((\${COLUMNS:-80} - 39)) ids=() lines=()
  if [[ $1 == sessions && $cur == */* ]]; then _sessiondb_files; return; fi
  while IFS=$'\\t' read -r id title; do
    if [[ -z $id || $id != "$cur"* ]]; then continue; fi
    ids+=("$id")
    if [[ $title == *[!\\ -~]* ]]; then title="\${title:0:room / 2}"; fi
    lines+=("$id  \${title:0:room}")
  done <<< "$(_sessiondb_ask "$1")"
  if [[ \${#ids[@]} -gt 1 && room -gt 9 && \${COMP_TYPE:-9} =~ ^(63|33|64)$ ]]; then COMPREPLY=("\${lines[@]}")
  elif [[ \${#ids[@]} -gt 0 ]]; then COMPREPLY=("\${ids[@]}"); fi
}
_sessiondb_names() {
  local name
  while IFS= read -r name; do
    if [[ -z $name ]]; then continue; fi
    if [[ -z $quote ]]; then printf -v name %q "$name"
    elif [[ $name == *[\\"\\'\\\\\\\`\\$!]* ]]; then continue; fi
    if [[ $name == "$cur"* ]]; then COMPREPLY+=("$name"); fi
  done <<< "$(_sessiondb_ask "$1")"
}
_sessiondb_files() {
  compopt -o default 2>/dev/null || :
}
_sessiondb_value() {
  case "$command $prev" in
${commands.flatMap(valueCases).join("\n")}
    *) return 1 ;;
  esac
}
_sessiondb_word() {
  case "$command" in
    "") COMPREPLY=($(compgen -W "${names.join(" ")}" -- "$cur")) || : ;;
${commands.flatMap(wordCase).join("\n")}
    *) ;;
  esac
}
_sessiondb_option() {
  case "$command" in
${commands.map(optionCase).join("\n")}
  esac
}
_sessiondb() {
  local IFS=$' \\t\\n' cur prev command="" before="" head="" quote="" words=() last=0 i
  COMPREPLY=()
  compopt +o default 2>/dev/null || :
  _sessiondb_join
  for ((i = 1; i < last; i++)); do
    case "\${words[i]}" in
      ${[...takers].join("|")}) ((i++)) ;;
      -*) ;;
      *) command="\${words[i]}"; break ;;
    esac
  done
  cur="\${words[last]}" prev="\${words[last-1]}"
  if [[ $cur == --*=* ]]; then prev="\${cur%%=*}" before="\${cur%%=*}=" cur="\${cur#*=}"; fi
  if [[ $cur == [\\"\\']* ]]; then quote="\${cur:0:1}" cur="\${cur:1}"; fi
  if _sessiondb_value; then
    if [[ -n $before && \${#COMPREPLY[@]} -gt 0 ]]; then COMPREPLY=("\${COMPREPLY[@]/#/$before}"); fi
  elif [[ $cur == -* ]]; then _sessiondb_option
  else _sessiondb_word
  fi
  if [[ -n $head && \${#COMPREPLY[@]} -gt 0 ]]; then COMPREPLY=("\${COMPREPLY[@]#"$head"}"); fi
}
complete -o default -o nosort -F _sessiondb sessiondb 2>/dev/null || complete -o default -F _sessiondb sessiondb
`;
}

function spellings({ name, alias }: CompletedOption): string[] {
  return [`--${name}`, ...(alias === undefined ? [] : [`-${alias}`])];
}

function valueCases({ name: command, options }: CompletedCommand): string[] {
  return options.flatMap((option) => {
    if (option.value === undefined) return [];
    const patterns = spellings(option).map((each) => `"${command} ${each}"`);
    return [`    ${patterns.join("|")}) ${offer(option.value)} ;;`];
  });
}

function wordCase({ name, completes }: CompletedCommand): string[] {
  return name === "" || completes === undefined ? [] : [`    "${name}") ${offer(completes)} ;;`];
}

function optionCase({ name, options }: CompletedCommand): string {
  return `    "${name}") COMPREPLY=($(compgen -W "${options.flatMap(spellings).join(" ")}" -- "$cur")) || : ;;`;
}

function offer(value: Completes | "anything"): string {
  // Bash itself offers files then: it can write names with spaces.
  if (value === "files") return "_sessiondb_files";
  if (value === "anything") return ":";
  if (isDescribed(value)) return `_sessiondb_described ${value}`;
  if (typeof value === "string") return `_sessiondb_names ${value}`;
  return `COMPREPLY=($(compgen -W "${value.join(" ")}" -- "$cur")) || :`;
}
