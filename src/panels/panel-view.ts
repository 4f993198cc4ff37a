import { footerOf, helpLines, keyWordsOf } from "./key-words.ts";
import type { PanelSource } from "./panel-source.ts";
import type { PreviewPane } from "./preview-pane.ts";
import { RowList } from "./row-list.ts";
import type { Color, Screen, TextInput, Theme, Tui } from "./screen.ts";

/** What a panel shows at one moment. */
export interface Shown<Row> {
  /** The query, or another line that is asked for. */
  input: TextInput;
  here: boolean;
  named: boolean;
  sort: string;
  role: string;
  rows: readonly Row[];
  /** The place of the row that is chosen. */
  chosen: number;
  note: string;
  /** An error, shown in the place of rows; empty when there is none. */
  trouble: string;
  preview: PreviewPane<Row>;
  /** Who has the keys. */
  mode: "list" | "preview" | "help";
  /** Said in the place of the title, and of the keys: what is being asked. */
  question: { title: string; footer: string } | undefined;
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
const MOST_ROWS = 12;
/** On a whole screen: title, input and footer. */
const WHOLE_FRAME_LINES = 3;
/** A whole screen with as many lines or fewer is for rows alone. */
const FEW_LINES = 12;
/** With so many columns the preview stands beside the rows. */
const WIDE = 100;
const BETWEEN = " │ ";

interface Room {
  width: number;
  height: number;
}

/** Draws a panel: a part of the screen, in the place of pi's editor, or the whole of it. */
export class PanelView<Row> {
  readonly #source: PanelSource<Row>;
  readonly #tui: Tui;
  readonly #theme: Theme;
  readonly #screen: Screen;
  readonly #isWhole: boolean;
  readonly #list: RowList<Row>;

  constructor(
    source: PanelSource<Row>,
    around: { tui: Tui; theme: Theme; screen: Screen; isWhole?: boolean },
  ) {
    this.#source = source;
    this.#tui = around.tui;
    this.#theme = around.theme;
    this.#screen = around.screen;
    this.#isWhole = around.isWhole === true;
    this.#list = new RowList(source, { tui: around.tui, theme: around.theme });
  }

  /** Lines of at most `width` columns. */
  lines(shown: Shown<Row>, width: number): string[] {
    const lines = this.#isWhole ? this.#wholeLines(shown, width) : this.#partLines(shown, width);
    return lines.map((line) => this.#tui.truncateToWidth(line, width, "…"));
  }

  /** How many rows the terminal has room for, if each has its heading. */
  visibleRows(): number {
    const height = this.#isWhole ? Math.floor(this.#bodyHeight() / 2) : this.#room();
    return Math.max(1, Math.floor(height / this.#list.mostHeight));
  }

  #partLines(shown: Shown<Row>, width: number): string[] {
    const border = this.#theme.fg("border", "─".repeat(width));
    const height = this.#room() + (this.#isLow() ? 0 : DETAIL_LINES + 1);
    const body =
      shown.mode === "list"
        ? [...this.#rowLines(shown, { width, height: this.#room() }), "", ...this.#detailLines(shown, width)]
        : [...this.#instead(shown, { width: width - 2, height }).map((line) => `  ${line}`), ""];
    return [
      border,
      this.#titleLine(shown, width),
      ...shown.input.render(width),
      "",
      ...body,
      this.#footer(shown, width),
      border,
    ];
  }

  #wholeLines(shown: Shown<Row>, width: number): string[] {
    const height = this.#bodyHeight();
    const body = this.#bodyLines(shown, { width, height });
    return [
      this.#titleLine(shown, width),
      ...shown.input.render(width),
      ...padded(body, height),
      this.#footer(shown, width),
    ];
  }

  #bodyHeight(): number {
    return Math.max(1, this.#screen.terminal.rows - WHOLE_FRAME_LINES);
  }

  /** Rows with the preview beside or below them, or one of both alone. */
  #bodyLines(shown: Shown<Row>, { width, height }: Room): string[] {
    if (shown.mode === "help") return this.#instead(shown, { width, height });
    if (this.#screen.terminal.rows <= FEW_LINES)
      return shown.mode === "list"
        ? this.#rowLines(shown, { width, height })
        : this.#instead(shown, { width, height });
    if (width >= WIDE) return this.#sideBySide(shown, { width, height });
    const above = Math.floor(height / 2);
    return [
      ...padded(this.#rowLines(shown, { width, height: above }), above),
      this.#rule(shown, width),
      ...this.#instead(shown, { width, height: height - above - 1 }),
    ];
  }

  #sideBySide(shown: Shown<Row>, { width, height }: Room): string[] {
    const tui = this.#tui;
    const left = Math.floor(width * 0.45);
    const rows = padded(this.#rowLines(shown, { width: left, height }), height);
    const right = this.#instead(shown, { width: width - left - BETWEEN.length, height });
    const between = this.#theme.fg(shown.mode === "preview" ? "accent" : "border", BETWEEN);
    return rows.map((line, at) => {
      const cell = tui.truncateToWidth(line, left, "…");
      return cell + " ".repeat(Math.max(0, left - tui.visibleWidth(cell))) + between + (right[at] ?? "");
    });
  }

  #rule({ mode }: Shown<Row>, width: number): string {
    return this.#theme.fg(mode === "preview" ? "accent" : "border", "─".repeat(width));
  }

  /** What stands in the place of rows, or beside them. */
  #instead({ mode, preview, rows, chosen }: Shown<Row>, room: Room): string[] {
    if (mode !== "help") return preview.lines(rows[chosen], room);
    const lines = helpLines(keyWordsOf(this.#source, { hasRows: true }), this.#tui, room);
    return lines.slice(0, room.height).map((line) => this.#theme.fg("muted", line));
  }

  /** Lines for the rows of a part of the screen. */
  #room(): number {
    const { rows } = this.#screen.terminal;
    const { mostHeight } = this.#list;
    const taken = this.#isLow() ? FEWEST_OTHER_LINES : DETAIL_LINES + 1 + OTHER_LINES;
    return Math.max(mostHeight, Math.min(MOST_ROWS * mostHeight, rows - FRAME_LINES - taken));
  }

  #titleLine({ here, named, sort, role, question }: Shown<Row>, width: number): string {
    const [theme, tui] = [this.#theme, this.#tui];
    if (question !== undefined) return theme.bold(theme.fg("warning", question.title));
    const title = theme.bold(theme.fg("accent", this.#source.title));
    const scope = (name: string, on: boolean): string =>
      theme.fg(on ? "accent" : "muted", `${on ? "◉" : "○"} ${name}`);
    const both = `${scope("everywhere", !here)}  ${scope("this project", here)}`;
    const usual = [both, scope(here ? "this project" : "everywhere", true)];
    const order = sort === this.#source.sorts[0] ? "" : sort;
    const unusual = [named ? "named" : "", role, order]
      .filter(Boolean)
      .map((each) => theme.fg("warning", each));
    const scopes = usual.map((each) => [...unusual, each].join("  "));
    const roomFor = (text: string): number => width - tui.visibleWidth(title) - tui.visibleWidth(text);
    const shown = scopes.find((text) => roomFor(text) >= 2);
    return shown === undefined ? title : title + " ".repeat(roomFor(shown)) + shown;
  }

  #rowLines({ rows, chosen, trouble }: Shown<Row>, room: Room): string[] {
    if (rows.length > 0) return this.#list.lines(rows, chosen, room);
    return trouble === ""
      ? this.#wrapped("muted", this.#source.hint, room.width)
      : this.#wrapped("error", trouble, room.width);
  }

  #detailLines({ rows, chosen }: Shown<Row>, width: number): string[] {
    const row = rows[chosen];
    if (row === undefined || this.#isLow()) return [];
    const paint = { tui: this.#tui, theme: this.#theme, width: width - 2, chosen: true };
    const lines = this.#source.detail(row, paint);
    return [...lines.slice(0, DETAIL_LINES).map((line) => `  ${line}`), ""];
  }

  #footer({ note: said, question, rows, mode }: Shown<Row>, width: number): string {
    const theme = this.#theme;
    if (question !== undefined) return theme.fg("warning", question.footer);
    const note = said === "" ? "" : `${said} · `;
    const isPreview = mode === "preview";
    const words = keyWordsOf(this.#source, { hasRows: rows.length > 0, isPreview });
    const keys = footerOf(words, width - this.#tui.visibleWidth(note));
    return keys === "" ? theme.fg("muted", said) : theme.fg("muted", note) + theme.fg("dim", keys);
  }

  #wrapped(color: Color, text: string, width: number): string[] {
    return this.#tui.wrapTextWithAnsi(text, width - 2).map((line) => `  ${this.#theme.fg(color, line)}`);
  }

  #isLow(): boolean {
    return this.#screen.terminal.rows < LOW_TERMINAL;
  }
}

/** Exactly so many lines. */
function padded(lines: readonly string[], height: number): string[] {
  return [...lines.slice(0, height), ...Array<string>(Math.max(0, height - lines.length)).fill("")];
}
