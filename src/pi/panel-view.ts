import type { Color, Screen, Theme } from "./host.ts";
import type { TextInput, Tui } from "./tui.ts";

/** How rows are drawn: the terminal library, colours and width. */
export interface Paint {
  tui: Tui;
  theme: Theme;
  width: number;
  chosen: boolean;
}

/** What a panel shows at one moment. */
export interface Shown<Row> {
  input: TextInput;
  here: boolean;
  rows: readonly Row[];
  /** The place of the row that is chosen. */
  chosen: number;
  note: string;
  /** An error, shown in the place of rows; empty when there is none. */
  trouble: string;
}

/** Lines that are neither rows nor details: two borders, title, input, two empty lines and the footer. */
const FRAME_LINES = 7;
/** An empty line follows them. */
const DETAIL_LINES = 4;
/** Lines left for what is above the panel, and for pi's own footer. */
const OTHER_LINES = 8;
/** On a terminal with fewer lines, rows are worth more than details and what is above the panel. */
const LOW_TERMINAL = 34;
const FEWEST_OTHER_LINES = 5;
/** What the keys do: the first text that fits is shown. */
const KEYS = [
  "enter resume · ctrl+o insert · tab scope · esc close",
  "enter resume · ctrl+o insert · esc close",
  "enter · ctrl+o · tab · esc",
  "tab scope · esc close",
  "esc close",
];
const MOST_ROWS = 12;

/** Draws a panel. */
export class PanelView<Row> {
  readonly #source: PanelSource<Row>;
  readonly #tui: Tui;
  readonly #theme: Theme;
  readonly #screen: Screen;

  constructor(source: PanelSource<Row>, { tui, theme, screen }: { tui: Tui; theme: Theme; screen: Screen }) {
    this.#source = source;
    this.#tui = tui;
    this.#theme = theme;
    this.#screen = screen;
  }

  /** Lines of at most `width` columns. */
  lines(shown: Shown<Row>, width: number): string[] {
    const border = this.#theme.fg("border", "─".repeat(width));
    const lines = [
      border,
      this.#titleLine(shown, width),
      ...shown.input.render(width),
      "",
      ...this.#rowLines(shown, width),
      "",
      ...this.#detailLines(shown, width),
      this.#footer(shown, width),
      border,
    ];
    return lines.map((line) => this.#tui.truncateToWidth(line, width, "…"));
  }

  /** How many rows the terminal has room for, if each has its heading. */
  visibleRows(): number {
    return Math.max(1, Math.floor(this.#room() / this.#mostHeight()));
  }

  #mostHeight(): number {
    return this.#source.rowHeight + (this.#source.heading === undefined ? 0 : 1);
  }

  /** Lines for the rows. */
  #room(): number {
    const { rows } = this.#screen.terminal;
    const taken = this.#isLow() ? FEWEST_OTHER_LINES : DETAIL_LINES + 1 + OTHER_LINES;
    return Math.max(this.#mostHeight(), Math.min(MOST_ROWS * this.#mostHeight(), rows - FRAME_LINES - taken));
  }

  #titleLine({ here }: Shown<Row>, width: number): string {
    const [theme, tui] = [this.#theme, this.#tui];
    const title = theme.bold(theme.fg("accent", this.#source.title));
    const scope = (name: string, on: boolean): string =>
      theme.fg(on ? "accent" : "muted", `${on ? "◉" : "○"} ${name}`);
    const both = `${scope("everywhere", !here)}  ${scope("this project", here)}`;
    const scopes = [both, scope(here ? "this project" : "everywhere", true)];
    const roomFor = (text: string): number => width - tui.visibleWidth(title) - tui.visibleWidth(text);
    const shown = scopes.find((text) => roomFor(text) >= 2);
    return shown === undefined ? title : title + " ".repeat(roomFor(shown)) + shown;
  }

  #rowLines({ rows, chosen: place, trouble }: Shown<Row>, width: number): string[] {
    const { first, end } = this.#inSight(rows, place);
    const lines = rows.slice(first, end).flatMap((row, index) => {
      const chosen = first + index === place;
      const mark = chosen ? this.#theme.fg("accent", "› ") : "  ";
      const isBegin = index === 0 || this.#isBegin(rows, first + index);
      const drawn = this.#source.row(row, this.#paint(width - 2, chosen));
      return [
        ...(isBegin ? this.#headingOf(rows, { at: first + index, place, width }) : []),
        ...drawn.map((line, at) => (at === 0 ? mark : "  ") + line),
      ];
    });
    if (lines.length > 0) return lines;
    return trouble === ""
      ? this.#wrapped("muted", this.#source.hint, width)
      : this.#wrapped("error", trouble, width);
  }

  /** The rows around the chosen one for which there is room, as many before it as after it. */
  #inSight(rows: readonly Row[], place: number): { first: number; end: number } {
    const { rowHeight, heading } = this.#source;
    let [first, end] = [place, Math.min(rows.length, place + 1)];
    let left = this.#room() - this.#mostHeight();
    /** Above, the heading of the first row moves up, unless that row begins a group: then both have one. */
    const costOf = (begin: number): number =>
      rowHeight + (heading !== undefined && this.#isBegin(rows, begin) ? 1 : 0);
    for (;;) {
      const above = first > 0 && costOf(first) <= left;
      const below = end < rows.length && costOf(end) <= left;
      if (!above && !below) return { first, end };
      if (above && (!below || place - first <= end - 1 - place)) left -= costOf(first--);
      else left -= costOf(end++);
    }
  }

  /** Whether a row stands below another heading than the one before it. */
  #isBegin(rows: readonly Row[], at: number): boolean {
    const { heading } = this.#source;
    const [row, before] = [rows[at], rows[at - 1]];
    if (heading === undefined || row === undefined) return false;
    return before === undefined || heading.of(row) !== heading.of(before);
  }

  #headingOf(
    rows: readonly Row[],
    { at, place, width }: { at: number; place: number; width: number },
  ): string[] {
    const { heading } = this.#source;
    const [row, chosen] = [rows[at], rows[place]];
    if (heading === undefined || row === undefined) return [];
    const isChosen = chosen !== undefined && heading.of(chosen) === heading.of(row);
    return [heading.draw(row, this.#paint(width, isChosen))];
  }

  #detailLines({ rows, chosen }: Shown<Row>, width: number): string[] {
    const row = rows[chosen];
    if (row === undefined || this.#isLow()) return [];
    const lines = this.#source.detail(row, this.#paint(width - 2, true));
    return [...lines.slice(0, DETAIL_LINES).map((line) => `  ${line}`), ""];
  }

  #footer({ note: said }: Shown<Row>, width: number): string {
    const theme = this.#theme;
    const note = said === "" ? "" : `${said} · `;
    const room = width - this.#tui.visibleWidth(note);
    const keys = KEYS.find((each) => each.length <= room);
    return keys === undefined ? theme.fg("muted", said) : theme.fg("muted", note) + theme.fg("dim", keys);
  }

  #wrapped(color: Color, text: string, width: number): string[] {
    return this.#tui.wrapTextWithAnsi(text, width - 2).map((line) => `  ${this.#theme.fg(color, line)}`);
  }

  #paint(width: number, chosen: boolean): Paint {
    return { tui: this.#tui, theme: this.#theme, width, chosen };
  }

  #isLow(): boolean {
    return this.#screen.terminal.rows < LOW_TERMINAL;
  }
}

/** What a panel is about, and how its rows look. */
export interface PanelSource<Row> {
  title: string;
  /** Shown while nothing is typed. */
  hint: string;
  /** How many lines one row takes. */
  rowHeight: number;
  /** Rows for which `of` gives the same stand below one line. */
  heading?: { of(row: Row): string; draw(row: Row, paint: Paint): string };
  /**
   * Begun when the panel opens: each resolves to whether to ask again, since something is new, or rejects with why not.
   */
  news(): Promise<boolean>[];
  /** The rows for what was typed, and a note on how many there are. A later question aborts this one. */
  find(asked: Asked, signal: AbortSignal): Promise<Found<Row>>;
  /** Identifies a row among all others; by this key it is found again in a later answer. */
  keyOf(row: Row): string;
  row(row: Row, paint: Paint): string[];
  /** More about the row that is chosen. */
  detail(row: Row, paint: Paint): string[];
}

export interface Asked {
  query: string;
  /** Whether only this project counts. */
  here: boolean;
}

export interface Found<Row> {
  rows: Row[];
  note: string;
}

/** `resume` the session of a row, or `insert` the text of the row. */
export type Action = "resume" | "insert";

/** What the user chose; undefined where the panel was closed. */
export type Choice<Row> = { row: Row; action: Action } | undefined;
