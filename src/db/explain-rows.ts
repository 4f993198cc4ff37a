import { codeOf, SessionDbError } from "../errors.ts";
import { firstFault, isDamage } from "./damage.ts";
import { damaged, explain } from "./explain.ts";
import type { Database } from "./native.ts";
import type { Index } from "./open.ts";

/** `explain` for what went wrong with an open index. */
export function explainRows(error: unknown, index: Index): unknown {
  const { indexPath } = index.location;
  if (error instanceof SessionDbError || !index.database.open) return explain(error, indexPath);
  return explain(
    damageBehind(error, index) ?? error,
    isDamage(codeOf(error)) ? damagedPath(index) : indexPath,
  );
}

/** Errors that rows without sense lead to, beside SQLite's errors that speak of damage. */
const ODD = /^SQLITE_(CONSTRAINT|MISMATCH)/;

/**
 * The damage of the index that is behind an error which does not speak of it; null when there is none. SQLite reads pages
 * that have changed places without an error: what looks like a bug of this program is then the fault of the index.
 */
export function damageBehind(error: unknown, index: Index): SessionDbError | null {
  const isOdd = error instanceof TypeError || error instanceof RangeError || ODD.test(codeOf(error));
  return isOdd && index.database.open && !isSound(index) ? damaged(damagedPath(index), error) : null;
}

/** The file of a damaged index that is damaged: SQLite's errors do not say in which one it was reading. */
function damagedPath(index: Index): string {
  return isFullTextSound(index) ? index.location.indexPath : index.location.searchPath;
}

/** Whether the pages of both databases are as they should be. @throws SessionDbError as `openIndex` */
export function isSound(index: Index): boolean {
  return isWhole(() => index.database, index.location.indexPath) && isFullTextSound(index);
}

function isFullTextSound(index: Index): boolean {
  return !index.hasFullText || isWhole(() => index.search, index.location.searchPath);
}

function isWhole(opened: () => Database, path: string): boolean {
  try {
    return firstFault(opened()) === null;
  } catch (error) {
    if (isDamage(codeOf(error))) return false;
    throw explain(error, path);
  }
}
