/** More than this would hide the error. */
const MOST_CHOICES = 10;

/** The things an ambiguous name may stand for, one a line, then how many more there are. `describe` must mask secrets. */
export function choicesOf<T>(found: readonly T[], describe: (each: T) => string): string[] {
  const choices = found.slice(0, MOST_CHOICES).map(describe);
  const left = found.length - choices.length;
  return left > 0 ? [...choices, `and ${left} more`] : choices;
}
