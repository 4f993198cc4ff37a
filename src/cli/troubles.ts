import type { FileTrouble } from "../query/results.ts";
import type { Context } from "./command.ts";
import { formatCount, plural } from "./output/numbers.ts";
import { tildePath } from "./output/paths.ts";
import { oneLine } from "./output/sanitise.ts";

const SHOWN = 10;

/** What each kind means, with its remedy where there is one. */
const KINDS: Record<FileTrouble["kind"], string> = {
  unreadable: "cannot be read; what the index had of them stays",
  failed: "could not be indexed; what the index had of them stays",
  malformed: "hold lines that are no JSON objects; the rest of them is indexed",
  not_session: "without a session header; nothing to index",
  vanished: "are gone, most of the folder at once; their rows stay (sync --rebuild removes them)",
};

/** Lines about files that were not taken in whole: the first ten of each kind, then how many more. */
export function describeTroubles(context: Context, troubles: readonly FileTrouble[]): string[] {
  const lines: string[] = [];
  for (const [kind, meaning] of Object.entries(KINDS)) {
    const ofKind = troubles.filter((trouble) => trouble.kind === kind);
    if (ofKind.length === 0) continue;
    // Sub-agents leave files that are no sessions: that is worth saying, but nothing is wrong.
    const paint = kind === "not_session" ? context.talk.paint.dim : context.talk.paint.yellow;
    lines.push(paint(`${plural(ofKind.length, "file")} ${meaning}:`));
    lines.push(...ofKind.slice(0, SHOWN).map((trouble) => describe(context, trouble)));
    if (ofKind.length > SHOWN) lines.push(`  and ${formatCount(ofKind.length - SHOWN)} more`);
  }
  return lines;
}

function describe({ talk, world }: Context, { path, kind, detail }: FileTrouble): string {
  const shown = oneLine(talk.isTerminal ? tildePath(path, world.home) : path);
  const what =
    kind === "malformed" ? plural(Number(detail), "line") : kind === "not_session" ? "" : oneLine(detail);
  return `  ${shown}${what === "" ? "" : ` (${what})`}`;
}
