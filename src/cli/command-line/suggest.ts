/** From this length on, a candidate that begins with the word was probably meant. */
const BEGINNING = 3;

/**
 * The candidate that was probably meant, if one is close enough: one that is a single typing error away, else the only
 * one that begins with the word, else the nearest.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const begun = word.length < BEGINNING ? [] : candidates.filter((each) => each.startsWith(word));
  const near = nearest(word, candidates);
  if (near !== undefined && (near.distance <= 1 || begun.length !== 1)) return near.candidate;
  return begun[0];
}

function nearest(
  word: string,
  candidates: readonly string[],
): { candidate: string; distance: number } | undefined {
  const limit = Math.max(1, Math.ceil(word.length / 3));
  return candidates
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)[0];
}

/** How many insertions, deletions, replacements and swaps of neighbours lead from one word to the other. */
export function distanceOf(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      current.push(cell(from, to, row, column, { current, last, beforeLast }));
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

interface Rows {
  current: readonly number[];
  last: readonly number[];
  beforeLast: readonly number[];
}

function cell(from: string, to: string, row: number, column: number, rows: Rows): number {
  const same = from[row - 1] === to[column - 1];
  const best = Math.min(
    (rows.last[column] ?? 0) + 1,
    (rows.current[column - 1] ?? 0) + 1,
    (rows.last[column - 1] ?? 0) + (same ? 0 : 1),
  );
  const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
  return swapped ? Math.min(best, (rows.beforeLast[column - 2] ?? best) + 1) : best;
}
