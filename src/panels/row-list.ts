import type { Paint, PanelSource } from "./panel-source.ts";
import type { Theme, Tui } from "./screen.ts";

/** The rows of a panel: as many as there is room for around the chosen one, those of a group below their heading. */
export class RowList<Row> {
  readonly #source: PanelSource<Row>;
  readonly #around: { tui: Tui; theme: Theme };

  constructor(source: PanelSource<Row>, around: { tui: Tui; theme: Theme }) {
    this.#source = source;
    this.#around = around;
  }

  /** The lines of one row with its heading. */
  get mostHeight(): number {
    return this.#source.rowHeight + (this.#source.heading === undefined ? 0 : 1);
  }

  /** @param place that of the chosen row */
  lines(rows: readonly Row[], place: number, { width, height }: { width: number; height: number }): string[] {
    const { first, end } = this.#inSight(rows, place, height);
    return rows.slice(first, end).flatMap((row, index) => {
      const chosen = first + index === place;
      const mark = chosen ? this.#around.theme.fg("accent", "› ") : "  ";
      const isBegin = index === 0 || this.#isBegin(rows, first + index);
      const drawn = this.#source.row(row, this.#paint(width - 2, chosen));
      return [
        ...(isBegin ? this.#headingOf(rows, { at: first + index, place, width }) : []),
        ...drawn.map((line, at) => (at === 0 ? mark : "  ") + line),
      ];
    });
  }

  /** The rows around the chosen one for which there is room, as many before it as after it. */
  #inSight(rows: readonly Row[], place: number, height: number): { first: number; end: number } {
    const { rowHeight } = this.#source;
    let [first, end] = [place, Math.min(rows.length, place + 1)];
    const row = rows[place];
    let left = height - rowHeight - (row !== undefined && this.#hasHeading(row) ? 1 : 0);
    /** Above, the heading of the first row moves up, unless that row begins a group: then both have one. */
    const costAbove = (): number => {
      const before = rows[first - 1];
      return (
        rowHeight + (this.#isBegin(rows, first) && before !== undefined && this.#hasHeading(before) ? 1 : 0)
      );
    };
    const costBelow = (): number => rowHeight + (this.#isBegin(rows, end) ? 1 : 0);
    for (;;) {
      const above = first > 0 && costAbove() <= left;
      const below = end < rows.length && costBelow() <= left;
      if (!above && !below) return { first, end };
      if (above && (!below || place - first <= end - 1 - place)) {
        left -= costAbove();
        first--;
      } else {
        left -= costBelow();
        end++;
      }
    }
  }

  #hasHeading(row: Row): boolean {
    return this.#source.heading?.of(row) !== undefined;
  }

  /** Whether a row stands below another heading than the one before it. */
  #isBegin(rows: readonly Row[], at: number): boolean {
    const { heading } = this.#source;
    const [row, before] = [rows[at], rows[at - 1]];
    if (heading === undefined || row === undefined || heading.of(row) === undefined) return false;
    return before === undefined || heading.of(row) !== heading.of(before);
  }

  #headingOf(
    rows: readonly Row[],
    { at, place, width }: { at: number; place: number; width: number },
  ): string[] {
    const { heading } = this.#source;
    const [row, chosen] = [rows[at], rows[place]];
    if (heading === undefined || row === undefined || heading.of(row) === undefined) return [];
    const isChosen = chosen !== undefined && heading.of(chosen) === heading.of(row);
    return [heading.draw(row, this.#paint(width, isChosen))];
  }

  #paint(width: number, chosen: boolean): Paint {
    return { ...this.#around, width, chosen };
  }
}
