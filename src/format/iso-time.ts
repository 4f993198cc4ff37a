/** A time as `toISOString` writes it. */
const PATTERN = Buffer.from("0000-00-00T00:00:00.000Z");
const [ZERO, NINE] = [0x30, 0x39];

/**
 * Reads the time in the bytes from `start` to before `end`, in Unix ms, as `Date.parse` does. Null for one that is not
 * written as `toISOString` writes it, and for years before 100, days after the 28th and numbers out of range, which are
 * left to `Date.parse`. It takes a quarter of the time of making a string and parsing it.
 */
export function isoTimeAt(line: Buffer, start: number, end: number): number | null {
  if (end - start !== PATTERN.length || !isIso(line, start)) return null;
  const year = twoDigits(line, start) * 100 + twoDigits(line, start + 2);
  const month = twoDigits(line, start + 5);
  const day = twoDigits(line, start + 8);
  const hour = twoDigits(line, start + 11);
  const minute = twoDigits(line, start + 14);
  const second = twoDigits(line, start + 17);
  const ms = twoDigits(line, start + 20) * 10 + digit(line, start + 22);
  // `Date.UTC` adds 1900 to years before 100, and accepts numbers out of range, which `Date.parse` may refuse.
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > 28) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

function isIso(line: Buffer, start: number): boolean {
  for (let at = 0; at < PATTERN.length; at++) {
    const byte = line[start + at] ?? 0;
    const wanted = PATTERN[at];
    if (wanted === ZERO ? byte < ZERO || byte > NINE : byte !== wanted) return false;
  }
  return true;
}

function twoDigits(line: Buffer, at: number): number {
  return digit(line, at) * 10 + digit(line, at + 1);
}

function digit(line: Buffer, at: number): number {
  return (line[at] ?? ZERO) - ZERO;
}
