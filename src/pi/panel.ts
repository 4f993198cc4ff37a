import type { Component, Keys, Screen, Theme } from "./host.ts";
import { type Paint, PanelView } from "./panel-view.ts";
import type { TextInput, Tui } from "./tui.ts";

/** What a panel is about, and how its rows look. */
export interface PanelSource<Row> {
  title: string;
  /** Shown while there is nothing to look for. */
  hint: string;
  /** Lines one row takes. */
  rowHeight: number;
  /** Begun when the panel opens: each resolves to whether there is something new to ask for, or says why there is not. */
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

interface Surroundings<Row> {
  tui: Tui;
  screen: Screen;
  theme: Theme;
  keys: Keys;
  done: (choice: Choice<Row>) => void;
}

/** Typing counts as over when nothing was typed for so long. */
const PAUSE_MS = 120;
const INSERT_KEY = "ctrl+o";

/** A line to type in, the rows found, and more about the chosen one, where pi's editor stands. */
export class Panel<Row> implements Component {
  readonly #source: PanelSource<Row>;
  readonly #around: Surroundings<Row>;
  readonly #view: PanelView<Row>;
  readonly #input: TextInput;
  #here = false;
  #rows: Row[] = [];
  #chosen = 0;
  #note = "";
  #trouble = "";
  /** Why rows may be missing. */
  #doubt = "";
  #isClosed = false;
  #question: AbortController | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(source: PanelSource<Row>, around: Surroundings<Row>, query: string) {
    this.#source = source;
    this.#around = around;
    this.#view = new PanelView(source, around);
    this.#input = new around.tui.Input();
    // Typed rather than set: setting leaves the cursor before the text.
    if (query !== "") this.#input.handleInput(query);
    for (const each of source.news()) {
      each.then(
        (isNews) => isNews && this.#ask(),
        (error: unknown) => this.#doubtRows(error),
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
    else if (keys.matches(data, "tui.select.pageUp")) this.#move(-this.#view.visibleRows());
    else if (keys.matches(data, "tui.select.pageDown")) this.#move(this.#view.visibleRows());
    else if (keys.matches(data, "tui.input.tab")) this.#changeScope();
    else if (keys.matches(data, "tui.select.confirm")) this.#choose("resume");
    else if (tui.matchesKey(data, INSERT_KEY)) this.#choose("insert");
    else this.#type(data);
  }

  render(width: number): string[] {
    const isDoubtful = this.#rows.length > 0 && this.#doubt !== "";
    const shown = {
      input: this.#input,
      here: this.#here,
      rows: this.#rows,
      chosen: this.#chosen,
      note: isDoubtful ? `${this.#note} · not up to date: ${this.#doubt}` : this.#note,
      trouble: this.#trouble || this.#doubt,
    };
    return this.#view.lines(shown, width);
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

  /** Rows that are there stay. */
  #doubtRows(error: unknown): void {
    if (this.#isClosed) return;
    this.#doubt = messageOf(error);
    this.#draw();
  }

  #draw(): void {
    this.#around.screen.requestRender();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
