// By hand, not by `Intl.NumberFormat`: making one takes as long as reading a small index.

/** `12,345`. */
export function formatCount(count: number): string {
  return grouped(String(Math.round(count)));
}

const COMPACT_UNITS = ["", "K", "M", "B", "T"];

/** `12.3K`, `1.2M`: three digits, for numbers that are read, not added up. */
export function formatCompact(count: number): string {
  const [size, unit] = scaled(count, COMPACT_UNITS.length);
  const digits = unit === 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return `${Number(size.toFixed(digits))}${COMPACT_UNITS[unit]}`;
}

/** US dollars: `$1,234.56`, `<$0.01` for less than half a cent, `-` for 0. */
export function formatMoney(dollars: number, decimals = CENTS): string {
  if (dollars === 0) return "-";
  const sign = dollars < 0 ? "-" : "";
  const size = Math.abs(dollars);
  const least = 10 ** -decimals;
  if (size < least / 2) return `${sign}<$${least.toFixed(decimals)}`;
  // Half a cent is rounded up, also where the binary number is a little below it.
  const rounded = Math.round(size / least + 1e-7) * least;
  const [whole = "", cents = ""] = rounded.toFixed(decimals).split(".");
  // There are no cents in what is written with an exponent.
  return `${sign}$${grouped(whole)}${cents && `.${cents}`}`;
}

const CENTS = 2;

/** Columns of a table that has room for no more than cents. */
const NARROW = 40;

/** How many decimals the amounts of a table have, the largest of which has four digits: they align, and can be added up. */
export function decimalsFor(largest: number, columns = Number.POSITIVE_INFINITY): number {
  if (largest >= 9.995 || columns < NARROW) return CENTS;
  return largest >= 0.9995 ? 3 : 4;
}

const SIZE_UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** `0 bytes`, `512 bytes`, `1.2 MB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return "1 byte";
  const [size, unit] = scaled(bytes, SIZE_UNITS.length);
  return `${size.toFixed(unit === 0 || size >= 99.5 ? 0 : 1)} ${SIZE_UNITS[unit]}`;
}

/** `950 ms`, `3.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1 session`, `3 sessions`, `12,000 entries`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The number divided by the largest power of 1000 that leaves at least 1, and which power that is. */
function scaled(count: number, units: number): [size: number, power: number] {
  let size = count;
  let power = 0;
  while (size >= 999.5 && power < units - 1) {
    size /= 1000;
    power++;
  }
  return [size, power];
}
