/** Whether an error's code says that the disk is full; the log of a database wants room even where it is only read. */
export function isOutOfRoom(code: string): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code);
}
