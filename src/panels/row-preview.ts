import type { CommandLine } from "./command-line.ts";
import type { Hit } from "./hits.ts";
import type { SessionRow } from "./known-sessions.ts";

/** Entries on each side of what was found. */
const AROUND = 20;

export type PanelRow = Hit | SessionRow;

export function isHit(row: PanelRow): row is Hit {
  return "snippet" in row;
}

/** A session around a hit, or around its last entry, as `show` prints it. Secrets are masked. */
export function previewOf(
  row: PanelRow,
  asked: { commandLine: CommandLine; color?: "never"; cwd: string; width: number; signal: AbortSignal },
): Promise<string> {
  const { commandLine, color = "always", cwd, width, signal } = asked;
  const words = ["show", "--no-sync", `--color=${color}`, ...aroundOf(row)];
  return commandLine.print(words, { cwd, signal, columns: width });
}

function aroundOf(row: PanelRow): string[] {
  if (isHit(row)) return [`--context=${AROUND}`, "--", `${row.path}:${row.line}`];
  const { path, leafId } = row;
  return leafId === "" ? ["--", path] : [`--around=${leafId}`, `--context=${AROUND}`, "--", path];
}
