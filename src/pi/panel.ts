import type { Component, Keys, Screen, Theme } from "./host.ts";
import {
  type Action,
  type Asked,
  type Choice,
  type Found,
  type PanelSource,
  PanelView,
} from "./panel-view.ts";
import type { TextInput, Tui } from "./tui.ts";

interface Surroundings<Row> {
  tui: Tui;
  screen: Screen;
  theme: Theme;
  keys: Keys;
  done: (choice: Choice<Row>) => void;
}

/** The question is asked when nothing was typed for so long. */
const PAUSE_MS = 120;
const INSERT_KEY = "ctrl+o";
/** What a terminal sends before a text that is pasted. */
const PASTE = "\u001b[200~";

/** An input line, the rows found, and details of the chosen one, in the place of pi's editor. */
export class Panel<Row> implements Component {
  readonly #source: PanelSource<Row>;
  readonly #around: Surroundings<Row>;
  readonly #view: PanelView<Row>;
  readonly #input: TextInput;
  #here = false;
  #rows: Row[] = [];
  /** The question that the rows answer. */
  #answered: Asked | undefined;
  #chosen = 0;
  /** An action that was chosen before the answer came: it waits for its row. */
  #awaited: Action | undefined;
  #note = "";
  #trouble = "";
  /** Why rows may be missing. */
  #doubt = "";
  /** How much of the news is still to come. */
  #awaitedNews = 0;
  #isClosed = false;
  #question: AbortController | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(source: PanelSource<Row>, around: Surroundings<Row>, query: string) {
    this.#source = source;
    this.#around = around;
    this.#view = new PanelView(source, around);
    this.#input = new around.tui.Input();
    // Typed, not set: setting leaves the cursor before the text.
    if (query !== "") this.#input.handleInput(query);
    for (const each of source.news()) void this.#await(each);
    this.#ask();
  }

  /** Set by pi, and passed on to the input line, so that input methods find the cursor. */
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
    const shown = {
      input: this.#input,
      here: this.#here,
      rows: this.#rows,
      chosen: this.#chosen,
      note: this.#wholeNote(),
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

  /** The note, and whether there may be more rows than it says. */
  #wholeNote(): string {
    if (this.#rows.length > 0 && this.#doubt !== "") return `${this.#note} · not up to date: ${this.#doubt}`;
    return this.#note !== "" && this.#awaitedNews > 0 ? `${this.#note} · reading…` : this.#note;
  }

  async #await(news: Promise<boolean>): Promise<void> {
    this.#awaitedNews++;
    try {
      const isNews = await news;
      this.#awaitedNews--;
      if (isNews) this.#ask();
    } catch (error) {
      this.#awaitedNews--;
      this.#doubt = messageOf(error);
    }
    if (!this.#isClosed) this.#draw();
  }

  /** Asks for the rows, also when the same question may have another answer by now. */
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

  /** If the rows still answer an earlier question, none of them is meant: the action waits. */
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
    // The input line leaves line ends of what is pasted out, and so makes one word of two.
    this.#input.handleInput(data.includes(PASTE) ? data.replace(/\r\n|\r|\n/g, " ") : data);
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
    // After a new question the row chosen before is not looked for: only the moves since then count.
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

  /** Shows an error in the place of the rows. */
  #fail(asked: Asked, error: unknown): void {
    if (!this.#isClosed) this.#show(asked, { rows: [], note: "" }, messageOf(error));
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
