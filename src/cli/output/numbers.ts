const counts = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const cents = new Intl.NumberFormat("en", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** `12,345`. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** `12.3K`, `1.2M`: for numbers that are looked at, not added up. */
export function formatCompact(count: number): string {
  return compact.format(count);
}

/** US dollars: `$1,234.56`, `<$0.01` for what is not nothing, `-` for nothing. */
export function formatMoney(dollars: number): string {
  if (dollars === 0) return "-";
  const size = Math.abs(dollars);
  if (size < 0.005) return dollars < 0 ? "-<$0.01" : "<$0.01";
  return `${dollars < 0 ? "-" : ""}$${cents.format(size)}`;
}

const SIZE_UNITS = ["bytes", "KB", "MB", "GB", "TB"];

/** `0 bytes`, `512 bytes`, `1.2 MB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < SIZE_UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  const digits = unit === 0 || size >= 99.5 ? 0 : 1;
  const name = unit === 0 && bytes === 1 ? "byte" : SIZE_UNITS[unit];
  return `${size.toFixed(digits)} ${name}`;
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
