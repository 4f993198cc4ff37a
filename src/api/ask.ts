import { isSqliteError, isSystemError, SessionDbError } from "../errors.ts";
import { diagnose } from "../store/diagnose.ts";
import { sizeAt } from "../store/location.ts";
import type { Index } from "../store/open.ts";
import { busyWith } from "../store/sqlite-errors.ts";
import { deletionEpoch } from "../store/statements.ts";
import type { ApiContext } from "./api-context.ts";
import { catchUp, isForAll, type Needs } from "./catch-up.ts";
import { healing } from "./healing.ts";
import { usingIndex } from "./in-index.ts";
import { noteEmptied, noteMissingRoots, noteNewFolder } from "./notes.ts";
import { identifyProjects } from "./projects.ts";

export interface AskOptions {
  /** Whether to catch up first; else the index is only read, as it stands. */
  sync: boolean;
  needs: Needs;
  /** Whether a damaged index is left as it is: where nobody wants to wait. */
  leavesDamage?: boolean;
}

type Ask<T> = (index: Index) => T | Promise<T>;

/**
 * Opens the index, catches up, asks, closes. `ask` may be called again, and then only its last answer counts. A damaged
 * index is made anew first.
 *
 * @throws SessionDbError as `healing`, `openIndex` and `catchUp`; Interrupted
 */
export async function askIndex<T>(api: ApiContext, options: AskOptions, ask: Ask<T>): Promise<T> {
  if (options.leavesDamage) return askOnce(api, options, ask);
  const { sync, needs } = options;
  if (sync && hasNoIndex(api)) {
    const { isNothingToRead, withTemporaryIndex } = await import("./temporary-index.ts");
    if (isNothingToRead(api)) return withTemporaryIndex(api, (there) => askOnce(there, options, ask));
  }
  if (sync) noteNewFolder(api);
  const isToAct = needs.acts === true;
  const work = (asking: ApiContext, isAnew: boolean): Promise<T> => {
    const hasLost = !sync && !isAnew && needs.search && noticeLostText(asking);
    return askOnce(asking, { sync: sync || isAnew || hasLost, needs }, ask);
  };
  return healing(api, work, { fromFiles: !isToAct });
}

/** Whether the index has still to be made. */
export function hasNoIndex({ config }: ApiContext): boolean {
  return sizeAt(config.location.indexPath) === undefined;
}

/** Looks at every page of the index; a damaged one is made anew, and filled. @throws SessionDbError as `askIndex` */
export async function makeAnew(api: ApiContext): Promise<void> {
  const { assertWhole } = await import("./repair.ts");
  const fill: AskOptions = { sync: true, needs: { search: true, rows: "all readable" } };
  await healing(api, async (_api, isAnew) => {
    if (isAnew) await askOnce(api, fill, () => undefined);
    else assertWhole(api.config.location);
  });
}

/** Whether the full text is gone; nothing at all would be found in an index as it stands. */
function noticeLostText({ config, note }: ApiContext): boolean {
  const { indexPath, searchPath } = config.location;
  const isLost = (sizeAt(indexPath) ?? 0) > 0 && (sizeAt(searchPath) ?? 0) === 0;
  if (isLost) note({ kind: "text_lost" });
  return isLost;
}

async function askOnce<T>(api: ApiContext, { sync, needs }: AskOptions, ask: Ask<T>): Promise<T> {
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
      await identifyProjects(index.database, api.config);
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
