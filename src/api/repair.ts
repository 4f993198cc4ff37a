import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, SessionDbError } from "../errors.ts";
import { damageIn } from "../store/diagnose.ts";
import type { IndexFiles, IndexLocation } from "../store/location.ts";
import { quarantine, quarantinedAt, type Rebuilt } from "../store/quarantine.ts";
import { damaged } from "../store/sqlite-errors.ts";
import type { ApiContext } from "./api-context.ts";
import { withTemporaryIndex } from "./temporary-index.ts";

export interface HealingOptions {
  /**
   * Whether the work may be done on an index for this once, filled from the session files, where the damaged one cannot be
   * put aside: for questions. By default the error says so.
   */
  fromFiles?: boolean;
  /** Whether a damaged index is put aside however lately that was done: where a person has asked for it. */
  always?: boolean;
}

/** Work on the index of `api`. @param isAnew the index may have been made anew: nothing counts as known of what it holds */
export type HealedWork<T> = (api: ApiContext, isAnew: boolean) => Promise<T>;

/** An index that was made anew and is damaged again: on a failing disk that would have no end. */
const REST_MS = 60 * 60_000;

/**
 * What is left to do after an error of work on an index: the same work again on what was made anew of it, or, for once, on
 * one from the session files.
 *
 * @throws SessionDbError the error itself where it is another's, or as `healing`
 */
export async function afterFailure<T>(
  api: ApiContext,
  work: HealedWork<T>,
  { error, seen, options }: { error: unknown; seen: IndexFiles; options: HealingOptions },
): Promise<T> {
  const why = causeOf(error, api.config.location);
  if (why === null) throw error;
  try {
    if (why === "unwritable") throw error;
    mend(api, seen, options);
  } catch (failure) {
    if (options.fromFiles !== true || codeOf(failure) === "index_foreign") throw failure;
    return await onceFromFiles(api, work, failure);
  }
  return await work(api, true);
}

/** What can be done about an error: its index may be damaged, or cannot be written to. Null for any other. */
function causeOf(error: unknown, { indexPath }: IndexLocation): "damaged" | "unwritable" | null {
  const code = error instanceof SessionDbError ? error.code : null;
  if (code === "index_corrupt") return "damaged";
  return code === "io" && existsSync(indexPath) && !isWritable(indexPath) ? "unwritable" : null;
}

function isWritable(path: string): boolean {
  try {
    for (const each of [dirname(path), path]) accessSync(each, constants.W_OK);
    return true;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return false;
  }
}

/** Puts aside what is damaged; nothing where another process has done so meanwhile, or the damage has passed. */
function mend({ config, note }: ApiContext, seen: IndexFiles, { always = false }: HealingOptions): void {
  const what = quarantineDamage(config.location, seen, { always });
  if (what !== null) note({ kind: "quarantined", what });
}

/**
 * Puts aside what is damaged of an index, and says which part that was; null where nothing is. With `always` all of it,
 * where the damage is none that shows: the error that was met is enough then.
 *
 * @throws SessionDbError `index_corrupt` where that was done less than an hour ago; as `quarantine`
 */
export function quarantineDamage(
  location: IndexLocation,
  seen: IndexFiles,
  { always = false }: Pick<HealingOptions, "always"> = {},
): Rebuilt | null {
  const what = damageIn(location) ?? (always ? "index" : null);
  if (what === null) return null;
  const before = quarantinedAt(what, location);
  if (!always && before !== null && Date.now() - before < REST_MS) throw damagedAgain(what, location);
  return quarantine(what, location, seen) ? what : null;
}

function damagedAgain(what: Rebuilt, { indexPath, searchPath }: IndexLocation): SessionDbError {
  const path = what === "index" ? indexPath : searchPath;
  return new SessionDbError(
    "index_corrupt",
    `the index is damaged again, less than an hour after it was made anew: ${path}`,
    {
      hint: "The disk may be failing; sessiondb sync --rebuild makes the index anew all the same, and --db FILE keeps it elsewhere.",
    },
  );
}

/** Does the work on an index that is made for it alone. */
function onceFromFiles<T>(api: ApiContext, work: HealedWork<T>, why: unknown): Promise<T> {
  const tellAndWork = (there: ApiContext): Promise<T> => {
    api.note({ kind: "from_files", why: why instanceof Error ? why.message : String(why) });
    return work(there, true);
  };
  return withTemporaryIndex(api, tellAndWork, why);
}

/**
 * Looks at every page of an index.
 *
 * @throws SessionDbError `index_corrupt` where it is damaged, for `healing`
 */
export function assertWhole(location: IndexLocation): void {
  const what = damageIn(location);
  if (what === null) return;
  throw damaged(what === "index" ? location.indexPath : location.searchPath, undefined);
}
