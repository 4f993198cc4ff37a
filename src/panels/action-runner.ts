import { messageOf } from "./live-question.ts";
import type { PanelAction } from "./panel-source.ts";
import type { Keys, TextInput, Tui } from "./screen.ts";

/** What is asked before an action: yes or no, or a line of text. */
interface Question<Row> {
  action: PanelAction<Row>;
  row: Row;
  title: string;
  input: TextInput | undefined;
}

interface Surroundings<Row> {
  tui: Pick<Tui, "Input">;
  keys: Keys;
  draw: () => void;
  /** Ends the panel. */
  end: (row: Row, action: string) => void;
  /** Sessions have changed. */
  changed: () => void;
}

/** Does what a key asks for, after the question that comes before it, and keeps what was done to be told. */
export class ActionRunner<Row> {
  readonly #around: Surroundings<Row>;
  #question: Question<Row> | undefined;
  /** What the last action has done, until the next key. */
  said = "";

  constructor(around: Surroundings<Row>) {
    this.#around = around;
  }

  /** What is being asked: it has the keys. */
  get question(): { title: string; footer: string; input: TextInput | undefined } | undefined {
    if (this.#question === undefined) return undefined;
    const { title, input } = this.#question;
    const footer = input === undefined ? "y yes · any other key no" : "enter done · esc leave it";
    return { title, footer, input };
  }

  choose(action: PanelAction<Row>, row: Row): void {
    const refusal = action.refuses?.(row);
    if (refusal === undefined) this.#begin(action, row);
    else this.said = refusal;
    this.#around.draw();
  }

  #begin(action: PanelAction<Row>, row: Row): void {
    const [confirmed, asked] = [action.confirm?.(row), action.ask?.(row)];
    if (asked !== undefined) {
      const input = new this.#around.tui.Input();
      input.focused = true;
      if (asked.text !== "") input.handleInput(asked.text);
      this.#question = { action, row, title: asked.title, input };
    } else if (confirmed !== undefined) this.#question = { action, row, title: confirmed, input: undefined };
    else void this.#act(action, row, "");
  }

  /** A key, while something is asked. */
  answer(data: string): void {
    if (this.#question === undefined) return;
    const { keys, draw } = this.#around;
    const { action, row, input } = this.#question;
    const isEnd = keys.matches(data, "tui.select.cancel");
    const isYes =
      !isEnd && (input === undefined ? /^[yY]$/.test(data) : keys.matches(data, "tui.select.confirm"));
    if (input !== undefined && !isEnd && !isYes) {
      input.handleInput(data);
      draw();
      return;
    }
    this.#question = undefined;
    if (isYes) void this.#act(action, row, input?.getValue().trim() ?? "");
    else this.said = "nothing was done";
    draw();
  }

  async #act(action: PanelAction<Row>, row: Row, text: string): Promise<void> {
    const { end, changed, draw } = this.#around;
    if (action.perform === undefined) return end(row, action.name);
    this.said = `${action.name} …`;
    try {
      const { said, hasChanged } = await action.perform(row, text);
      this.said = said;
      if (hasChanged) changed();
    } catch (error) {
      this.said = messageOf(error);
    }
    draw();
  }
}
