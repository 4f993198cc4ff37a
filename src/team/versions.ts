/** Whether a version (`0.9.12`, a suffix is ignored) is older than another. */
export function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split(/[.-]/, 3).map(Number));
  for (const at of [0, 1, 2]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
