import { askIndex } from "../api/ask.ts";
import type { Needs } from "../api/catch-up.ts";
import type { Index } from "../store/open.ts";
import { apiOf } from "./api-of.ts";
import { type Args, isSet } from "./command-line/args.ts";
import type { Context } from "./command-line/command.ts";
import type { OptionTable } from "./command-line/options.ts";

/** Options of every command that asks the index. */
export const INDEX_OPTIONS: OptionTable = {
  "no-sync": { describe: "Answer from the index as it stands" },
};

/**
 * Catches up, unless `--no-sync` is given, and asks the index. `ask` may be called again, and then only its last answer
 * counts.
 *
 * @throws SessionDbError as `askIndex`; Interrupted
 */
export async function withIndex<T>(
  context: Context,
  args: Args,
  needs: Needs,
  ask: (index: Index) => T | Promise<T>,
): Promise<T> {
  const sync = !isSet(args, "no-sync");
  const isForNow = sync && !needs.search && !context.json && context.talk.isTerminal;
  return askIndex(apiOf(context), { sync, needs }, async (index) => {
    const answer = await ask(index);
    if (isForNow && !index.hasFullText) await makeSearchableLater(context, index);
    return answer;
  });
}

/** So many entries are searchable before a person has noticed. */
const FEW_ENTRIES = 5000;

/** The first answer comes as soon as the rows are there; then, while it is read, the full text is made. */
async function makeSearchableLater(context: Context, index: Index): Promise<void> {
  const { entriesIn } = await import("../search/full-text-state.ts");
  const entries = entriesIn(index);
  if (entries === 0) return;
  context.later(async () => {
    if (entries > FEW_ENTRIES)
      context.talk.note(
        "now everything is made searchable; Ctrl-C does no harm, the next search goes on with it.",
      );
    await askIndex(apiOf(context), { sync: true, needs: { search: true } }, () => undefined);
  });
}
