// File by file: the package as a whole brings a Markdown parser along.
import { Input } from "@mariozechner/pi-tui/dist/components/input.js";
import { getKeybindings } from "@mariozechner/pi-tui/dist/keybindings.js";
import { matchesKey } from "@mariozechner/pi-tui/dist/keys.js";
import { ProcessTerminal } from "@mariozechner/pi-tui/dist/terminal.js";
import { TUI } from "@mariozechner/pi-tui/dist/tui.js";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@mariozechner/pi-tui/dist/utils.js";
import { Panel } from "../../panels/panel.ts";
import type { Choice, PanelSource } from "../../panels/panel-source.ts";
import type { Color, Theme, Tui } from "../../panels/screen.ts";
import type { Paint } from "../terminal/output.ts";

const TO_ALTERNATE = "\u001b[?1049h\u001b[H\u001b[2J";
const TO_USUAL = "\u001b[?1049l\u001b[?25h\u001b[?2004l";
/** Empties what was scrolled away: on the alternate screen that is the shell's. */
const CLEAR_SCROLLBACK = "\u001b[3J";

const TUI_PARTS: Tui = { Input, matchesKey, truncateToWidth, visibleWidth, wrapTextWithAnsi };

/** The terminal's alternate screen, which leaves no trace. */
class AlternateTerminal extends ProcessTerminal {
  #isStarted = false;

  override start(onInput: (data: string) => void, onResize: () => void): void {
    this.#isStarted = true;
    super.write(TO_ALTERNATE);
    super.start(onInput, onResize);
  }

  override stop(): void {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    super.stop();
    super.write(TO_USUAL);
  }

  override write(data: string): void {
    super.write(data.replaceAll(CLEAR_SCROLLBACK, ""));
  }
}

/** A panel on the whole screen of a terminal. */
export class WholeScreen {
  readonly #terminal = new AlternateTerminal();
  readonly #tui = new TUI(this.#terminal);
  readonly #theme: Theme;

  constructor(paint: Paint) {
    this.#theme = themeOf(paint);
  }

  /** Shows it until something is chosen, or `signal` ends it. */
  async show<Row>(source: PanelSource<Row>, query: string, signal: AbortSignal): Promise<Choice<Row>> {
    const restore = (): void => this.#terminal.stop();
    process.once("exit", restore);
    let panel: Panel<Row> | undefined;
    try {
      return await new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(undefined));
        panel = this.#begin(source, query, resolve);
      });
    } finally {
      panel?.dispose();
      await this.#terminal.drainInput(DRAIN_MS, DRAIN_IDLE_MS);
      this.#tui.stop();
      process.off("exit", restore);
    }
  }

  #begin<Row>(source: PanelSource<Row>, query: string, done: (choice: Choice<Row>) => void): Panel<Row> {
    const [screen, theme, keys] = [this.#tui, this.#theme, getKeybindings()];
    const around = { tui: TUI_PARTS, screen, theme, keys, isWhole: true, done };
    const panel = new Panel(source, around, query);
    this.#tui.addChild(panel);
    this.#tui.setFocus(panel);
    this.#tui.start();
    return panel;
  }

  /** Writes what is not drawn: a text for the clipboard. */
  write(data: string): void {
    this.#terminal.write(data);
  }

  /** Leaves the terminal to something else meanwhile. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.#tui.stop();
    try {
      return await work();
    } finally {
      this.#tui.start();
      this.#tui.requestRender(true);
    }
  }
}

/** How long keys that are still coming are waited for, in ms: they are not for the shell. */
const DRAIN_MS = 200;
const DRAIN_IDLE_MS = 20;

function themeOf({ bold, cyan, dim, green, red, yellow }: Paint): Theme {
  const paints: Readonly<Record<Color, (text: string) => string>> = {
    accent: cyan,
    border: dim,
    dim,
    error: red,
    muted: dim,
    success: green,
    text: String,
    warning: yellow,
  };
  return { fg: (color, text) => paints[color](text), bold };
}
