import type { FileTrouble } from "../query/results.ts";
import type { Context } from "./command.ts";
import { formatCount, plural } from "./output/numbers.ts";
import { tildePath } from "./output/paths.ts";
import { oneLine } from "./output/sanitise.ts";

const SHOWN = 10;

/** What each kind means, with its remedy where there is one. `not_session` is no trouble: sub-agents leave such files. */
const KINDS: Record<Exclude<FileTrouble["kind"], "not_session">, string> = {
  unreadable: "cannot be read; what the index had of them stays",
  failed: "could not be indexed; what the index had of them stays",
  malformed: "hold lines that are no JSON; the rest of them is indexed",
  vanished: "are gone, most of the folder at once; their rows stay (sync --rebuild removes them)",
};

/** Lines about files that were not taken in whole: the first ten of each kind, then how many more. */
export function describeTroubles(context: Context, troubles: readonly FileTrouble[]): string[] {
  const lines: string[] = [];
  for (const [kind, meaning] of Object.entries(KINDS)) {
    const ofKind = troubles.filter((trouble) => trouble.kind === kind);
    if (ofKind.length === 0) continue;
    lines.push(context.talk.paint.yellow(`${plural(ofKind.length, "file")} ${meaning}:`));
    lines.push(...ofKind.slice(0, SHOWN).map((trouble) => describe(context, trouble)));
    if (ofKind.length > SHOWN) lines.push(`  and ${formatCount(ofKind.length - SHOWN)} more`);
  }
  const strangers = troubles.filter((trouble) => trouble.kind === "not_session").length;
  if (strangers > 0)
    lines.push(context.talk.paint.dim(`${plural(strangers, "file")} without a session header.`));
  return lines;
}

function describe({ talk, world }: Context, { path, kind, detail }: FileTrouble): string {
  const shown = oneLine(talk.isTerminal ? tildePath(path, world.home) : path);
  const what = kind === "malformed" ? plural(Number(detail), "line") : oneLine(detail);
  return `  ${shown}${what === "" ? "" : ` (${what})`}`;
}
