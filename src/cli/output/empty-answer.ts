import { win32 } from "node:path";
import { tildePath } from "../../files/paths.ts";
import type { Asked, Unmatched } from "../../reports/known-names.ts";
import type { Index } from "../../store/open.ts";
import { oneLine } from "../../text/sanitise.ts";
import { maskSecrets } from "../../text/secrets.ts";
import type { Context } from "../command-line/command.ts";
import { closest } from "../command-line/suggest.ts";

/** The most names that are shown; more would hide the sentence. */
const MOST_NAMES = 10;

/** An answer and, where it is empty, the conditions of its filter that nothing meets. */
export interface Explained<T> {
  found: T;
  unmatched: Unmatched[];
}

/**
 * Completes an answer: if it is empty, by the conditions that nothing meets. A misspelt name must not look like none.
 */
export async function explained<T>(
  index: Index,
  asked: Asked,
  { found, isEmpty }: { found: T; isEmpty: boolean },
): Promise<Explained<T>> {
  if (!isEmpty) return { found, unmatched: [] };
  const { unmatchedIn } = await import("../../reports/known-names.ts");
  return { found, unmatched: unmatchedIn(index, asked) };
}

/** Says that there is nothing and, where the filter names something unknown, which names there are. */
export function printNothing(context: Context, what: string, unmatched: readonly Unmatched[]): void {
  for (const sentence of [what, ...unmatchedSentences(context, unmatched)]) context.talk.say(sentence);
}

/** Notes the same beside an answer for programs. */
export function noteUnmatched(context: Context, unmatched: readonly Unmatched[]): void {
  for (const sentence of unmatchedSentences(context, unmatched)) context.talk.note(sentence);
}

/** A sentence on one line for each: which name is unknown, and which was probably meant. */
export function unmatchedSentences(context: Context, unmatched: readonly Unmatched[]): string[] {
  return unmatched.map((each) => oneLine(sentenceOf(each, context)));
}

function sentenceOf({ key, asked, known }: Unmatched, { talk, world }: Context): string {
  if (key === "project") {
    const shown = (path: string): string => (talk.isTerminal ? tildePath(path, world.home) : path);
    // Of Windows: names of either system have their last part taken.
    const near = known.find((cwd) => win32.basename(cwd) === win32.basename(asked));
    const hint = near === undefined ? "" : ` Did you mean ${shown(near)}?`;
    return maskSecrets(`There is no session in ${shown(asked)} or below it.${hint}`);
  }
  const near = closest(asked.toLowerCase(), known) ?? known.find((name) => isSameButCase(name, asked));
  const hint = near === undefined ? namesIn(known) : ` Did you mean ${near}?`;
  return maskSecrets(`There is no ${key} "${asked}".${hint}`);
}

function isSameButCase(name: string, asked: string): boolean {
  return name.toLowerCase() === asked.toLowerCase();
}

function namesIn(known: readonly string[]): string {
  if (known.length === 0) return "";
  const more = known.length > MOST_NAMES ? `, and ${known.length - MOST_NAMES} more` : "";
  return ` There are: ${known.slice(0, MOST_NAMES).join(", ")}${more}.`;
}
