import type { Color, Component, Keys, Screen, Theme } from "./host.ts";
import type { TextInput, Tui } from "./tui.ts";

/** What a panel is about, and how its rows look. */
export interface PanelSource<Row> {
  title: string;
  /** Shown while there is nothing to look for. */
  hint: string;
  /** Lines one row takes. */
  rowHeight: number;
  /** Begun when the panel opens: each resolves to whether there is something new to ask for. */
  news(): Promise<boolean>[];
  /** The rows for what was typed, and a word on how many there are. A later question withdraws this one. */
  find(asked: Asked, signal: AbortSignal): Promise<Found<Row>>;
  row(row: Row, paint: Paint): string[];
  /** More about the row that is chosen. */
  detail(row: Row, paint: Paint): string[];
}

export interface Asked {
  query: string;
  /** Only this project. */
  here: boolean;
}

export interface Found<Row> {
  rows: Row[];
  note: string;
}

/** What was decided: `resume` a row's session, or `insert` what the row says. Undefined: nothing. */
export type Choice<Row> = { row: Row; action: "resume" | "insert" } | undefined;

/** What rows are drawn with. */
export interface Paint {
  tui: Tui;
  theme: Theme;
  width: number;
  chosen: boolean;
}

interface Surroundings<Row> {
  tui: Tui;
  screen: Screen;
  theme: Theme;
  keys: Keys;
  done: (choice: Choice<Row>) => void;
}

/** Typing is over when nothing was typed for so long. */
const PAUSE_MS = 120;
/** Lines that are no rows: two borders, title, input, three of space and two of footer. */
const FRAME_LINES = 9;
const DETAIL_LINES = 4;
/** Lines left to what is above the panel, and to pi's own footer. */
const OTHER_LINES = 8;
/** On a lower terminal rows are worth more than details and what is above. */
const LOW_TERMINAL = 34;
const FEWEST_OTHER_LINES = 5;
const INSERT_KEY = "ctrl+o";
/** What the keys do, the first that fits. */
const KEYS = [
  "enter resume · ctrl+o insert · tab scope · esc close",
  "enter resume · ctrl+o insert · esc close",
  "enter · ctrl+o · tab · esc",
];
const MOST_ROWS = 12;

/** A line to type in, the rows found, and more about the chosen one, where pi's editor stands. */
export class Panel<Row> implements Component {
  readonly #source: PanelSource<Row>;
  readonly #around: Surroundings<Row>;
  readonly #input: TextInput;
  #here = false;
  #rows: Row[] = [];
  #chosen = 0;
  #note = "";
  #trouble = "";
  #isClosed = false;
  #question: AbortController | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(source: PanelSource<Row>, around: Surroundings<Row>, query: string) {
    this.#source = source;
    this.#around = around;
    this.#input = new around.tui.Input();
    // Typed rather than set: setting leaves the cursor before the text.
    if (query !== "") this.#input.handleInput(query);
    for (const each of source.news()) {
      each.then(
        (isNews) => isNews && this.#ask(),
        (error: unknown) => this.#fail(error),
      );
    }
    this.#ask();
  }

  /** pi sets it; where it is passed on, input methods find the cursor. */
  get focused(): boolean {
    return this.#input.focused;
  }

  set focused(value: boolean) {
    this.#input.focused = value;
  }

  handleInput(data: string): void {
    const { keys, tui, done } = this.#around;
    if (keys.matches(data, "tui.select.cancel")) done(undefined);
    else if (keys.matches(data, "tui.select.up")) this.#move(-1);
    else if (keys.matches(data, "tui.select.down")) this.#move(1);
    else if (keys.matches(data, "tui.select.pageUp")) this.#move(-this.#visible());
    else if (keys.matches(data, "tui.select.pageDown")) this.#move(this.#visible());
    else if (keys.matches(data, "tui.input.tab")) this.#changeScope();
    else if (keys.matches(data, "tui.select.confirm")) this.#choose("resume");
    else if (tui.matchesKey(data, INSERT_KEY)) this.#choose("insert");
    else this.#type(data);
  }

  render(width: number): string[] {
    const { theme, tui } = this.#around;
    const border = theme.fg("border", "─".repeat(width));
    const lines = [
      border,
      this.#titleLine(width),
      ...this.#input.render(width),
      "",
      ...this.#rowLines(width),
      "",
      ...this.#detailLines(width),
      this.#footer(width),
      border,
    ];
    return lines.map((line) => tui.truncateToWidth(line, width, "…"));
  }

  invalidate(): void {
    this.#input.invalidate();
  }

  dispose(): void {
    this.#isClosed = true;
    this.#withdraw();
  }

  /** Asks for the rows, again where there may be others now. */
  #ask(): void {
    if (this.#isClosed) return;
    this.#withdraw();
    const question = new AbortController();
    this.#question = question;
    const asked = { query: this.#input.getValue().trim(), here: this.#here };
    this.#source.find(asked, question.signal).then(
      (found) => question.signal.aborted || this.#show(found, ""),
      (error: unknown) => question.signal.aborted || this.#fail(error),
    );
  }

  #choose(action: "resume" | "insert"): void {
    const row = this.#rows[this.#chosen];
    if (row !== undefined) this.#around.done({ row, action });
  }

  #withdraw(): void {
    clearTimeout(this.#pause);
    this.#question?.abort();
  }

  #type(data: string): void {
    const before = this.#input.getValue();
    this.#input.handleInput(data);
    if (this.#input.getValue() !== before) {
      this.#withdraw();
      this.#pause = setTimeout(() => this.#ask(), PAUSE_MS);
    }
    this.#draw();
  }

  #changeScope(): void {
    this.#here = !this.#here;
    this.#ask();
    this.#draw();
  }

  #move(by: number): void {
    this.#chosen = Math.max(0, Math.min(this.#rows.length - 1, this.#chosen + by));
    this.#draw();
  }

  #show({ rows, note }: Found<Row>, trouble: string): void {
    this.#rows = rows;
    this.#note = note;
    this.#trouble = trouble;
    this.#chosen = Math.max(0, Math.min(this.#chosen, rows.length - 1));
    this.#draw();
  }

  /** Says what went wrong in the place of the rows. */
  #fail(error: unknown): void {
    if (!this.#isClosed) this.#show({ rows: [], note: "" }, messageOf(error));
  }

  #draw(): void {
    this.#around.screen.requestRender();
  }

  #titleLine(width: number): string {
    const { theme, tui } = this.#around;
    const title = theme.bold(theme.fg("accent", this.#source.title));
    const scope = (name: string, on: boolean): string =>
      theme.fg(on ? "accent" : "muted", `${on ? "◉" : "○"} ${name}`);
    const scopes = `${scope("everywhere", !this.#here)}  ${scope("this project", this.#here)}`;
    const room = width - tui.visibleWidth(title) - tui.visibleWidth(scopes);
    return room < 2 ? title : title + " ".repeat(room) + scopes;
  }

  #rowLines(width: number): string[] {
    const count = this.#visible();
    const first = Math.max(0, Math.min(this.#chosen - Math.floor(count / 2), this.#rows.length - count));
    const lines = this.#rows.slice(first, first + count).flatMap((row, index) => {
      const chosen = first + index === this.#chosen;
      const mark = chosen ? this.#around.theme.fg("accent", "› ") : "  ";
      const drawn = this.#source.row(row, this.#paint(width - 2, chosen));
      return drawn.map((line, at) => (at === 0 ? mark : "  ") + line);
    });
    if (lines.length > 0) return lines;
    return this.#trouble === ""
      ? this.#wrapped("muted", this.#source.hint, width)
      : this.#wrapped("error", this.#trouble, width);
  }

  #detailLines(width: number): string[] {
    const row = this.#rows[this.#chosen];
    if (row === undefined || this.#isLow()) return [];
    const lines = this.#source.detail(row, this.#paint(width - 2, true));
    return [...lines.slice(0, DETAIL_LINES).map((line) => `  ${line}`), ""];
  }

  #footer(width: number): string {
    const { theme, tui } = this.#around;
    const note = this.#note === "" ? "" : `${this.#note} · `;
    const room = width - tui.visibleWidth(note);
    const keys = KEYS.find((each) => each.length <= room) ?? "";
    return theme.fg("muted", note) + theme.fg("dim", keys);
  }

  #wrapped(color: Color, text: string, width: number): string[] {
    const { theme, tui } = this.#around;
    return tui.wrapTextWithAnsi(text, width - 2).map((line) => `  ${theme.fg(color, line)}`);
  }

  #paint(width: number, chosen: boolean): Paint {
    const { tui, theme } = this.#around;
    return { tui, theme, width, chosen };
  }

  #isLow(): boolean {
    return this.#around.screen.terminal.rows < LOW_TERMINAL;
  }

  /** How many rows the terminal has room for. */
  #visible(): number {
    const { rows } = this.#around.screen.terminal;
    const taken = this.#isLow() ? FEWEST_OTHER_LINES : DETAIL_LINES + OTHER_LINES;
    const room = rows - FRAME_LINES - taken;
    return Math.max(1, Math.min(MOST_ROWS, Math.floor(room / this.#source.rowHeight)));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
