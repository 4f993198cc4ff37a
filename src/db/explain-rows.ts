import { codeOf, SessionDbError } from "../errors.ts";
import { isDamage } from "./damage.ts";
import { damaged, explain, isMissingPart } from "./explain.ts";
import { firstFault } from "./first-fault.ts";
import { INDEX, SEARCH } from "./kinds.ts";
import type { DatabaseKind } from "./migrate.ts";
import type { Database } from "./native.ts";
import type { Index } from "./open.ts";

/** `explain` for what went wrong with an open index. */
export function explainRows(error: unknown, index: Index): unknown {
  const { indexPath } = index.location;
  if (error instanceof SessionDbError || !index.database.open) return explain(error, indexPath);
  const code = codeOf(error);
  const speaksOfDamage = isDamage(code) || isMissingPart(code);
  return explain(damageBehind(error, index) ?? error, speaksOfDamage ? damagedPath(index) : indexPath);
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

/** Whether both databases are whole. @throws SessionDbError as `openIndex` */
export function isSound(index: Index): boolean {
  return isWhole(() => index.database, INDEX, index.location.indexPath) && isFullTextSound(index);
}

function isFullTextSound(index: Index): boolean {
  return !index.hasFullText || isWhole(() => index.search, SEARCH, index.location.searchPath);
}

function isWhole(opened: () => Database, kind: DatabaseKind, path: string): boolean {
  try {
    return firstFault(opened(), kind) === null;
  } catch (error) {
    if (isDamage(codeOf(error))) return false;
    throw explain(error, path);
  }
}
