/** Times in the index are within what `Date` can hold. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
