/** The order of texts by their UTF-16 units: the same everywhere, whatever language the system speaks. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
