import type { Database } from "./native.ts";

/** Whether an error's code says that a database is damaged; a short read means that its end is missing. */
export function isDamage(code: string): boolean {
  return code === "index_corrupt" || /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code);
}

/**
 * Looks at all pages of a database, those of SQL indexes included. Null when they hold what they should. It takes a
 * fraction of the time of reading every session again.
 */
export function firstFault(database: Database): string | null {
  const said = String(database.pragma("integrity_check(1)", { simple: true }));
  return said === "ok" ? null : said;
}
