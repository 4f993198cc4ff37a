import { codeOf, type SessionDbError } from "../errors.ts";
import { firstFault, isDamage } from "./damage.ts";
import { damaged, explain } from "./explain.ts";
import type { Index } from "./open.ts";

/** `explain` for what went wrong with an open index. */
export function explainRows(error: unknown, index: Index): unknown {
  return explain(damageBehind(error, index) ?? error, index.location.indexPath);
}

/** What rows that make no sense lead to, beside errors of SQLite that speak of damage. */
const ODD = /^SQLITE_(CONSTRAINT|MISMATCH)/;

/**
 * The damage that an error comes of, though it does not say so. Where pages have changed places SQLite reads them without
 * an error: what would be a fault of this program is the index's then.
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
