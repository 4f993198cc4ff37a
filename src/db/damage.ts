import type { Database } from "./native.ts";

/** Whether an error's code says that a database cannot be read as what it was; a short read means that its end is missing. */
export function isDamage(code: string): boolean {
  return code === "index_corrupt" || /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code);
}

/**
 * Null where all pages of a database, those of indexes included, hold what they should; takes a fraction of what reading
 * every session again takes.
 */
export function firstFault(database: Database): string | null {
  const said = String(database.pragma("integrity_check(1)", { simple: true }));
  return said === "ok" ? null : said;
}
