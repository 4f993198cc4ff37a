import { isSqliteError, isSystemError, SessionDbError } from "../errors.ts";
import { explainRows } from "../store/diagnose.ts";
import { lossMark } from "../store/epoch.ts";
import type { IndexLocation } from "../store/location.ts";
import { type Index, openIndex } from "../store/open.ts";
import { busyWith } from "../store/sqlite-errors.ts";
import { type Args, isSet } from "./args.ts";
import { catchUp, isForAll, type Needs } from "./catch-up.ts";
import type { Context } from "./command.ts";
import { noteEmptied, noteMissingRoots } from "./notes.ts";
import type { OptionTable } from "./options.ts";

/** Options of every command that asks the index. */
export const INDEX_OPTIONS: OptionTable = {
  "no-sync": { type: "boolean", describe: "Answer from the index as it stands" },
};

/**
 * Opens the index, catches up, asks, closes. With `--no-sync` it is only read. `ask` may be called again, and then only
 * its last answer counts.
 *
 * @throws SessionDbError as `openIndex` and `catchUp`; Interrupted
 */
export async function withIndex<T>(
  context: Context,
  args: Args,
  needs: Needs,
  ask: (index: Index) => T | Promise<T>,
): Promise<T> {
  const { location } = context.config;
  if (isSet(args, "no-sync")) return readAsItStands(location, ask);
  noteMissingRoots(context);
  for (let attempt = 1; ; attempt++) {
    const found = await askUpToDate({ context, needs, ask, isLast: attempt === ATTEMPTS });
    if (found !== "overtaken") return found.answer;
  }
}

async function readAsItStands<T>(location: IndexLocation, ask: (index: Index) => T | Promise<T>): Promise<T> {
  const index = openIndex(location, { readonly: true });
  try {
    return await ask(index);
  } catch (error) {
    throw explainRows(error, index);
  } finally {
    index.close();
  }
}

/** How often something is tried in all, when rows, or the index itself, are removed meanwhile. */
export const ATTEMPTS = 3;

interface Question<T> {
  context: Context;
  needs: Needs;
  ask: (index: Index) => T | Promise<T>;
  isLast: boolean;
}

/**
 * Catches up and asks. Returns "overtaken" where rows were removed in between: while another process empties the index
 * to fill it again (`sync --rebuild`), or deletes it, the answer must not be that there is nothing. @throws
 * SessionDbError `busy` where that happens again and again, and all rows are needed
 */
async function askUpToDate<T>({
  context,
  needs,
  ask,
  isLast,
}: Question<T>): Promise<{ answer: T } | "overtaken"> {
  const { location } = context.config;
  const index = openIndex(location);
  let before: string | undefined;
  try {
    before = lossMark(index.database);
    noteEmptied(context, index, needs);
    await catchUp(context, index, needs);
    const answer = await ask(index);
    if ((isLast && !isForAll(needs)) || !isOvertaken(index, before)) return { answer };
    if (isLast) throw busyWith(location.indexPath);
    return "overtaken";
  } catch (error) {
    const explained = explainRows(error, index);
    const mayTryAgain = !isLast && mayBeOvertaken(explained);
    if (mayTryAgain && before !== undefined && isKnownToBeOvertaken(index, before)) return "overtaken";
    throw explained;
  } finally {
    index.close();
  }
}

/** @param before the index's `lossMark` */
function isOvertaken(index: Index, before: string): boolean {
  return index.isReplaced() || lossMark(index.database) !== before;
}

/** The same after an error. Where it cannot be asked either, the first error says what is wrong. */
function isKnownToBeOvertaken(index: Index, before: string): boolean {
  try {
    return isOvertaken(index, before);
  } catch (error) {
    if (!isSqliteError(error) && !isSystemError(error)) throw error;
    return false;
  }
}

/** Whether rows, or files of the index, that were removed meanwhile may be the cause of an error. */
export function mayBeOvertaken(error: unknown): boolean {
  if (!(error instanceof SessionDbError)) return false;
  return ["not_found", "busy", "io", "index_corrupt"].includes(error.code);
}
