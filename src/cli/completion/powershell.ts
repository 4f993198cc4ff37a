import { type Completes, DESCRIBED_KINDS, NAME_KINDS } from "../command-line/options.ts";
import type { CompletedCommand } from "./shape.ts";

export function powershellCompletion(commands: readonly CompletedCommand[]): string {
  return `# PowerShell completion of sessiondb
Register-ArgumentCompleter -Native -CommandName sessiondb -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = [ordered]@{
${commands.map(tableOf).join("\n")}
  }
  $asked = @(${[...DESCRIBED_KINDS, ...NAME_KINDS].map((kind) => `'<${kind}>'`).join(", ")})
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $name = ''
  $program = $commands['']
  for ($i = 0; $i -lt $words.Count; $i++) {
    if ($program.Options[$words[$i]].Value) { $i++; continue }
    if (-not $words[$i].StartsWith('-')) { $name = $words[$i]; break }
  }
  $given = @($words | ForEach-Object { $_ -replace '["'']', '' })
  $command = $commands[$name]
  if (-not $command) { return }
  $previous = if ($words.Count) { $words[-1] } else { '' }
  $option = if ($previous.StartsWith('-')) { $command.Options[$previous] }
  $found = if ($option.Value) { $option.Value }
    elseif ($wordToComplete.StartsWith('-')) { $command.Options.Keys }
    elseif (-not $name) { $commands.Keys | Where-Object { $_ -and -not $commands[$_].Alias } }
    else { $command.Words }
  $found = $found | ForEach-Object { if ($asked -contains $_) { sessiondb completion $_.Trim('<', '>') '--' @given 2>$null | ForEach-Object { $_.Split("\`t")[0] } } else { $_ } }
  $found | Where-Object { $_ -and $_ -notlike '<*>' -and $_.StartsWith($wordToComplete) } | ForEach-Object {
    $about = if ($commands[$_] -and -not $name) { $commands[$_].About } elseif ($command.Options[$_]) { $command.Options[$_].About } else { $_ }
    $text = if ($_ -match '^[\\w.@+/:-]+$') { $_ } else { "'" + $_.Replace("'", "''") + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $about)
  }
}
`;
}

function tableOf({ name, isAlias, about, options, completes }: CompletedCommand): string {
  const rows = options.flatMap(({ name: option, alias, about: meaning, value }) => {
    const row = `@{ About = ${quote(meaning)}; Value = @(${wordsOf(value)}) }`;
    const long = `      ${quote(`--${option}`)} = ${row}`;
    return alias === undefined ? [long] : [long, `      ${quote(`-${alias}`)} = ${row}`];
  });
  return `    ${quote(name)} = @{ About = ${quote(about)}; Alias = $${isAlias}; Words = @(${wordsOf(completes)}); Options = [ordered]@{\n${rows.join("\n")}\n    } }`;
}

/** The words for a value, as a list; a kind of value that cannot be listed is named in angle brackets. */
function wordsOf(value: Completes | "anything" | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? `'<${value}>'` : value.map(quote).join(", ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
