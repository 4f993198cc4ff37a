/** Times in the index, in Unix ms, are within what `Date` can hold. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}
