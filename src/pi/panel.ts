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
  /** What tells a row from all others, and by which it is found again in a later answer. */
  keyOf(row: Row): string;
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

/** `resume` a row's session, or `insert` what the row says. */
type Action = "resume" | "insert";

/** What was decided. Undefined: nothing. */
export type Choice<Row> = { row: Row; action: Action } | undefined;

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
  /** What the rows are an answer to. */
  #answered: Asked | undefined;
  #chosen = 0;
  /** To be done with a row that is not there yet. */
  #awaited: Action | undefined;
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
    this.#awaited = undefined;
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
    const asked = this.#asked();
    this.#source.find(asked, question.signal).then(
      (found) => question.signal.aborted || this.#show(asked, found, ""),
      (error: unknown) => question.signal.aborted || this.#fail(asked, error),
    );
  }

  #asked(): Asked {
    return { query: this.#input.getValue().trim(), here: this.#here };
  }

  /** Of rows that are still an answer to something else none is meant. */
  #choose(action: Action): void {
    if (isSame(this.#asked(), this.#answered)) {
      const row = this.#rows[this.#chosen];
      if (row !== undefined) this.#around.done({ row, action });
      return;
    }
    this.#awaited = action;
    if (this.#pause !== undefined) this.#ask();
  }

  #withdraw(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#question?.abort();
  }

  #type(data: string): void {
    const before = this.#input.getValue();
    this.#input.handleInput(data);
    if (this.#input.getValue() !== before) {
      this.#withdraw();
      this.#chosen = 0;
      this.#pause = setTimeout(() => this.#ask(), PAUSE_MS);
    }
    this.#draw();
  }

  #changeScope(): void {
    this.#here = !this.#here;
    this.#chosen = 0;
    this.#ask();
    this.#draw();
  }

  #move(by: number): void {
    this.#chosen = Math.max(0, Math.min(this.#rows.length - 1, this.#chosen + by));
    this.#draw();
  }

  #show(asked: Asked, { rows, note }: Found<Row>, trouble: string): void {
    // What was chosen before the question changed is not looked for; how far one moved since then counts.
    const place = isSame(asked, this.#answered) ? this.#placeIn(rows) : this.#chosen;
    this.#rows = rows;
    this.#answered = asked;
    this.#note = note;
    this.#trouble = trouble;
    this.#chosen = Math.max(0, Math.min(place, rows.length - 1));
    const action = this.#awaited;
    this.#awaited = undefined;
    this.#draw();
    if (action !== undefined) this.#choose(action);
  }

  /** Where the chosen row stands in a later answer to the same question. */
  #placeIn(rows: readonly Row[]): number {
    const { keyOf } = this.#source;
    const chosen = this.#rows[this.#chosen];
    const place = chosen === undefined ? -1 : rows.findIndex((row) => keyOf(row) === keyOf(chosen));
    return place < 0 ? this.#chosen : place;
  }

  /** Says what went wrong in the place of the rows. */
  #fail(asked: Asked, error: unknown): void {
    if (!this.#isClosed) this.#show(asked, { rows: [], note: "" }, messageOf(error));
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

function isSame(asked: Asked, other: Asked | undefined): boolean {
  return asked.query === other?.query && asked.here === other.here;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
