/** Which rows of a long list are drawn: those in sight, and some around them. */

export interface VirtualWindow {
  /** The first row, from 0. */
  first: number;
  /** The row behind the last. */
  end: number;
}

/** Rows above and below those in sight. */
const AROUND = 8;

/**
 * @param above how far the list's beginning is above the top of the view, in pixels; negative where it is below
 * @param view the height of the view, in pixels
 */
export function virtualWindow(
  above: number,
  view: number,
  rows: { height: number; total: number },
): VirtualWindow {
  const { height, total } = rows;
  const first = Math.min(Math.max(0, Math.floor(above / height) - AROUND), Math.max(0, total - 1));
  const end = Math.min(total, Math.max(first, Math.ceil((above + view) / height) + AROUND));
  return { first, end };
}

/** The blocks of so many rows that a window touches, with the part of each that is drawn. */
export function touchedBlocks(
  { first, end }: VirtualWindow,
  size: number,
): { block: number; first: number; end: number }[] {
  const blocks = [];
  for (let block = Math.floor(first / size); block * size < end; block++) {
    const start = block * size;
    blocks.push({ block, first: Math.max(0, first - start), end: Math.min(size, end - start) });
  }
  return blocks;
}
