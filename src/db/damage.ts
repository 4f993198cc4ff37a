/** Whether an error's code says that a database is damaged; a short read means that its end is missing. */
export function isDamage(code: string): boolean {
  return code === "index_corrupt" || /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code);
}
