import { ActionRunner } from "./action-runner.ts";
import { PANEL_KEYS } from "./key-words.ts";
import { LiveQuestion } from "./live-question.ts";
import { type Asked, type Choice, type PanelAction, type PanelSource, RESUME } from "./panel-source.ts";
import { PanelView, type Shown } from "./panel-view.ts";
import { PreviewPane } from "./preview-pane.ts";
import type { Component, Keys, Screen, TextInput, Theme, Tui } from "./screen.ts";

interface Surroundings<Row> {
  tui: Tui;
  screen: Screen;
  theme: Theme;
  keys: Keys;
  /** Whether it is drawn on the whole screen, and not in the place of pi's editor. */
  isWhole?: boolean;
  done: (choice: Choice<Row>) => void;
}

/** What a terminal sends before a text that is pasted. */
const PASTE = "\u001b[200~";

/** An input line, the rows found, and the conversation around the chosen one. */
export class Panel<Row> implements Component {
  readonly #source: PanelSource<Row>;
  readonly #around: Surroundings<Row>;
  readonly #view: PanelView<Row>;
  readonly #preview: PreviewPane<Row>;
  readonly #live: LiveQuestion<Row>;
  readonly #input: TextInput;
  readonly #actions: ActionRunner<Row>;
  #mode: Shown<Row>["mode"] = "list";
  /** What is asked beside the query. */
  #how: Omit<Asked, "query">;
  #chosen = 0;
  /** An action that was chosen before the answer came: it waits for its row. */
  #awaited: PanelAction<Row> | undefined;

  constructor(source: PanelSource<Row>, around: Surroundings<Row>, query: string) {
    this.#source = source;
    this.#around = around;
    this.#how = { here: false, named: false, role: "", sort: source.sorts[0] ?? "", most: source.most };
    this.#view = new PanelView(source, around);
    const draw = (): void => around.screen.requestRender();
    this.#preview = new PreviewPane(source, { tui: around.tui, theme: around.theme, draw });
    this.#input = new around.tui.Input();
    // Typed, not set: setting leaves the cursor before the text.
    if (query !== "") this.#input.handleInput(query);
    this.#live = new LiveQuestion(source, {
      asked: () => this.#asked(),
      shown: (before, isSame) => this.#show(before, isSame),
      draw,
    });
    this.#actions = new ActionRunner({
      ...around,
      draw,
      end: (row, action) => around.done({ row, action }),
      changed: () => {
        this.#preview.forget();
        this.#live.ask();
      },
    });
    this.#live.begin();
  }

  /** Set by pi, and passed on to the input line, so that input methods find the cursor. */
  get focused(): boolean {
    return this.#input.focused;
  }

  set focused(value: boolean) {
    this.#input.focused = value;
  }

  handleInput(data: string): void {
    this.#awaited = undefined;
    this.#actions.said = "";
    if (this.#actions.question !== undefined) this.#actions.answer(data);
    else if (this.#mode === "help") this.#enter("list");
    else if (this.#mode === "preview") this.#inPreview(data);
    else this.#inList(data);
  }

  render(width: number): string[] {
    const { rows, note, trouble } = this.#live;
    const [chosen, mode, preview] = [this.#chosen, this.#mode, this.#preview];
    const { question, said } = this.#actions;
    const input = question?.input ?? this.#input;
    const shown = { input, rows, chosen, note: said || note, trouble, preview, mode, question };
    return this.#view.lines({ ...shown, ...this.#how }, width);
  }

  invalidate(): void {
    this.#input.invalidate();
  }

  dispose(): void {
    this.#live.close();
    this.#preview.close();
  }

  #inList(data: string): void {
    const { keys, tui, done } = this.#around;
    const is = (key: string): boolean => tui.matchesKey(data, key);
    const isEmpty = this.#input.getValue() === "";
    if (keys.matches(data, "tui.select.cancel")) done(undefined);
    else if (this.#hasMoved(data)) return;
    else if (keys.matches(data, "tui.input.tab")) this.#change({ here: !this.#how.here });
    else if (is(PANEL_KEYS.sort.key)) this.#change({ sort: after(this.#how.sort, this.#source.sorts) });
    else if (is(PANEL_KEYS.named.key)) this.#change({ named: !this.#how.named });
    else if (is(PANEL_KEYS.role.key))
      this.#change({ role: after(this.#how.role, ["", ...this.#source.roles]) });
    else if (is(PANEL_KEYS.help.key) || (isEmpty && data === "?")) this.#enter("help");
    else if (isEmpty && data === " ") this.#enter("preview");
    else if (!this.#hasActed(data)) this.#type(data);
  }

  #inPreview(data: string): void {
    const { keys, tui } = this.#around;
    const is = (key: string): boolean => tui.matchesKey(data, key);
    if (keys.matches(data, "tui.select.cancel") || is("left") || data === " ") this.#enter("list");
    else if (keys.matches(data, "tui.select.up")) this.#preview.scroll({ lines: -1 });
    else if (keys.matches(data, "tui.select.down")) this.#preview.scroll({ lines: 1 });
    else if (keys.matches(data, "tui.select.pageUp")) this.#preview.scroll({ pages: -1 });
    else if (keys.matches(data, "tui.select.pageDown")) this.#preview.scroll({ pages: 1 });
    else if (!this.#hasActed(data) && data.charCodeAt(0) >= 32) {
      // Who goes on typing has read enough.
      this.#enter("list");
      this.#inList(data);
    }
  }

  #hasMoved(data: string): boolean {
    const { keys, tui } = this.#around;
    const page = this.#view.visibleRows();
    if (keys.matches(data, "tui.select.up")) this.#move(-1);
    else if (keys.matches(data, "tui.select.down")) this.#move(1);
    else if (keys.matches(data, "tui.select.pageUp")) this.#move(-page);
    else if (keys.matches(data, "tui.select.pageDown")) this.#move(page);
    else if (tui.matchesKey(data, "shift+up")) this.#preview.scroll({ lines: -1 });
    else if (tui.matchesKey(data, "shift+down")) this.#preview.scroll({ lines: 1 });
    else return false;
    return true;
  }

  #hasActed(data: string): boolean {
    const { keys, tui } = this.#around;
    const action = keys.matches(data, "tui.select.confirm")
      ? RESUME
      : this.#source.actions.find(({ key }) => tui.matchesKey(data, key));
    if (action !== undefined) this.#choose(action);
    return action !== undefined;
  }

  /** If the rows still answer an earlier question, none of them is meant: the action waits. */
  #choose(action: PanelAction<Row>): void {
    if (!this.#live.isAnswered) {
      this.#awaited = action;
      this.#live.hurry();
      return;
    }
    const row = this.#live.rows[this.#chosen];
    if (row === undefined) return;
    this.#actions.choose(action, row);
  }

  #asked(): Asked {
    return { ...this.#how, query: this.#input.getValue().trim() };
  }

  #type(data: string): void {
    const before = this.#input.getValue();
    const drawn = this.#input.render(9999).join();
    // The input line leaves line ends of what is pasted out, and so makes one word of two.
    this.#input.handleInput(data.includes(PASTE) ? data.replace(/\r\n|\r|\n/g, " ") : data);
    if (this.#input.getValue() !== before) {
      this.#begin();
      this.#live.askSoon();
    } else if (this.#around.tui.matchesKey(data, "right") && this.#input.render(9999).join() === drawn) {
      // At its end the cursor goes on into the preview.
      this.#enter("preview");
    }
    this.#draw();
  }

  #change(how: Partial<Asked>): void {
    this.#how = { ...this.#how, ...how };
    this.#begin();
    this.#live.ask();
    this.#draw();
  }

  #enter(mode: Shown<Row>["mode"]): void {
    this.#mode = mode === "preview" && this.#live.rows.length === 0 ? "list" : mode;
    this.#draw();
  }

  /** Another question begins at its first row. */
  #begin(): void {
    this.#chosen = 0;
    this.#how.most = this.#source.most;
  }

  #move(by: number): void {
    const last = this.#live.rows.length - 1;
    this.#chosen = Math.max(0, Math.min(last, this.#chosen + by));
    if (this.#chosen === last && by > 0 && this.#live.hasMore && this.#live.isAnswered) {
      this.#how.most *= 2;
      this.#live.ask();
    }
    this.#draw();
  }

  #show(before: readonly Row[], isSame: boolean): void {
    // After a new question the row chosen before is not looked for: only the moves since then count.
    const place = isSame ? this.#placeOf(before[this.#chosen]) : this.#chosen;
    const last = this.#live.rows.length - 1;
    this.#chosen = Math.max(0, Math.min(place, last));
    if (last < 0 && this.#mode === "preview") this.#mode = "list";
    const action = this.#awaited;
    this.#awaited = undefined;
    this.#draw();
    if (action !== undefined) this.#choose(action);
  }

  /** Where the row that was chosen stands in a later answer to the same question. */
  #placeOf(chosen: Row | undefined): number {
    const { keyOf } = this.#source;
    const { rows } = this.#live;
    const place = chosen === undefined ? -1 : rows.findIndex((row) => keyOf(row) === keyOf(chosen));
    return place < 0 ? this.#chosen : place;
  }

  #draw(): void {
    this.#around.screen.requestRender();
  }
}

/** The one that follows; the first after the last. */
function after(one: string, all: readonly string[]): string {
  return all[(all.indexOf(one) + 1) % all.length] ?? one;
}
