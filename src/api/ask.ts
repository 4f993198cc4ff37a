import { isSqliteError, isSystemError, SessionDbError } from "../errors.ts";
import { diagnose } from "../store/diagnose.ts";
import { deletionEpoch } from "../store/epoch.ts";
import type { Index } from "../store/open.ts";
import { busyWith } from "../store/sqlite-errors.ts";
import type { ApiContext } from "./api-context.ts";
import { catchUp, isForAll, type Needs } from "./catch-up.ts";
import { usingIndex } from "./in-index.ts";
import { noteEmptied, noteMissingRoots } from "./notes.ts";

export interface AskOptions {
  /** Whether to catch up first; else the index is only read, as it stands. */
  sync: boolean;
  needs: Needs;
}

type Ask<T> = (index: Index) => T | Promise<T>;

/**
 * Opens the index, catches up, asks, closes. `ask` may be called again, and then only its last answer counts.
 *
 * @throws SessionDbError as `openIndex` and `catchUp`; Interrupted
 */
export async function askIndex<T>(api: ApiContext, { sync, needs }: AskOptions, ask: Ask<T>): Promise<T> {
  if (!sync) return usingIndex(api.config.location, { readonly: true }, ask);
  noteMissingRoots(api);
  for (let attempt = 1; ; attempt++) {
    const found = await askUpToDate(api, { needs, ask, isLast: attempt === ATTEMPTS });
    if (found !== "concurrently changed") return found.answer;
  }
}

/** How often something is tried in all, when rows, or the index itself, are removed meanwhile. */
export const ATTEMPTS = 3;

interface Question<T> {
  needs: Needs;
  ask: Ask<T>;
  isLast: boolean;
}

/**
 * Catches up and asks. Returns "concurrently changed" where rows were removed in between: while another process empties the index
 * to fill it again (`sync --rebuild`), or deletes it, the answer must not be that there is nothing. @throws
 * SessionDbError `busy` where that happens again and again, and all rows are needed
 */
async function askUpToDate<T>(
  api: ApiContext,
  { needs, ask, isLast }: Question<T>,
): Promise<{ answer: T } | "concurrently changed"> {
  const { location } = api.config;
  return usingIndex(location, {}, async (index) => {
    let before: string | undefined;
    try {
      before = deletionEpoch(index.database);
      noteEmptied(api, index, needs);
      await catchUp(api, index, needs);
      const answer = await ask(index);
      if ((isLast && !isForAll(needs)) || !hasChanged(index, before)) return { answer };
      if (isLast) throw busyWith(location.indexPath);
      return "concurrently changed";
    } catch (error) {
      const diagnosed = diagnose(error, index);
      const mayTryAgain = !isLast && mayBeConcurrentChange(diagnosed);
      if (mayTryAgain && before !== undefined && isKnownToHaveChanged(index, before))
        return "concurrently changed";
      throw diagnosed;
    }
  });
}

/** @param before the index's deletion epoch */
function hasChanged(index: Index, before: string): boolean {
  return index.isReplaced() || deletionEpoch(index.database) !== before;
}

/** Whether it is so after an error. Where that cannot be asked either, the first error says what is wrong. */
function isKnownToHaveChanged(index: Index, before: string): boolean {
  try {
    return hasChanged(index, before);
  } catch (error) {
    if (!isSqliteError(error) && !isSystemError(error)) throw error;
    return false;
  }
}

/** Whether rows, or files of the index, that were removed meanwhile may be the cause of an error. */
export function mayBeConcurrentChange(error: unknown): boolean {
  if (!(error instanceof SessionDbError)) return false;
  return ["not_found", "busy", "io", "index_corrupt"].includes(error.code);
}
