import { codeOf, type SessionDbError } from "../errors.ts";
import { firstFault, isDamage } from "./damage.ts";
import { damaged, explain } from "./explain.ts";
import type { Index } from "./open.ts";

/** `explain` for what went wrong with an open index. */
export function explainRows(error: unknown, index: Index): unknown {
  return explain(damageBehind(error, index) ?? error, index.location.indexPath);
}

/** Errors that rows without sense lead to, beside SQLite's errors that speak of damage. */
const ODD = /^SQLITE_(CONSTRAINT|MISMATCH)/;

/**
 * The damage of the index that is behind an error which does not speak of it; null when there is none. SQLite reads pages
 * that have changed places without an error: what looks like a bug of this program is then the fault of the index.
 */
export function damageBehind(error: unknown, index: Index): SessionDbError | null {
  const isOdd = error instanceof TypeError || error instanceof RangeError || ODD.test(codeOf(error));
  return isOdd && index.database.open && !isSound(index) ? damaged(index.location.indexPath, error) : null;
}

/** Whether the pages of both databases are as they should be. @throws SessionDbError as `openIndex` */
export function isSound(index: Index): boolean {
  try {
    const databases = index.hasFullText ? [index.database, index.search] : [index.database];
    return databases.every((database) => firstFault(database) === null);
  } catch (error) {
    if (isDamage(codeOf(error))) return false;
    throw explain(error, index.location.indexPath);
  }
}
