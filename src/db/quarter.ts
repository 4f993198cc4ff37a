/** What a row of `usage_quarters` stands for: a quarter of an hour, which every zone's day is made of. */
export const QUARTER_MS = 15 * 60 * 1000;

/** The quarter of an hour since 1970 that a time lies in. */
export function quarterOf(timestampMs: number): number {
  return Math.floor(timestampMs / QUARTER_MS);
}
