import { WordMarker } from "./draw.ts";
import { messageOf } from "./live-question.ts";
import type { PanelSource } from "./panel-source.ts";
import type { Theme, Tui } from "./screen.ts";
import { cutTo, styledLines } from "./text.ts";

/** A row that is chosen for so long is looked at, in ms: whoever holds a key down passes many. */
const PAUSE_MS = 40;
/** The most characters that are shown of a conversation. */
const MOST = 200_000;
/** Conversations that are kept, for going back to them. */
const MOST_KEPT = 16;

/** A conversation as lines of one width, and the line at which it is shown first. */
interface Text {
  lines: string[];
  first: number;
}

type Source<Row> = Pick<PanelSource<Row>, "preview" | "keyOf" | "wordsIn">;

/** The conversation around the chosen row, from what was found on. It is asked for when it is drawn. */
export class PreviewPane<Row> {
  readonly #source: Source<Row>;
  readonly #around: { tui: Tui; theme: Theme; draw: () => void };
  readonly #kept = new Map<string, Text>();
  /** What is shown, or asked for. */
  #wanted = "";
  #first = 0;
  #height = 1;
  #asked: { end: AbortController; pause: NodeJS.Timeout } | undefined;

  constructor(source: Source<Row>, around: { tui: Tui; theme: Theme; draw: () => void }) {
    this.#source = source;
    this.#around = around;
  }

  /** As many lines as there is room for. */
  lines(row: Row | undefined, { width, height }: { width: number; height: number }): string[] {
    this.#height = height;
    if (row === undefined) return [];
    const wanted = `${width} ${this.#source.keyOf(row)}`;
    if (wanted !== this.#wanted) this.#look(row, width, wanted);
    const { theme } = this.#around;
    const text = this.#kept.get(wanted);
    if (text === undefined) return [theme.fg("dim", "…")];
    const marker = new WordMarker(this.#source.wordsIn?.(row) ?? [], theme);
    return text.lines.slice(this.#first, this.#first + height).map((line) => marker.mark(line));
  }

  /** Moves what is shown, by lines or by pages. */
  scroll(by: { lines: number } | { pages: number }): void {
    const lines = "lines" in by ? by.lines : by.pages * Math.max(1, this.#height - 2);
    const most = Math.max(0, (this.#kept.get(this.#wanted)?.lines.length ?? 0) - this.#height);
    this.#first = Math.max(0, Math.min(Math.max(most, this.#first), this.#first + lines));
    this.#around.draw();
  }

  /** Forgets what was read: sessions have changed. */
  forget(): void {
    this.#kept.clear();
    this.#wanted = "";
  }

  close(): void {
    clearTimeout(this.#asked?.pause);
    this.#asked?.end.abort();
  }

  #look(row: Row, width: number, wanted: string): void {
    this.close();
    this.#wanted = wanted;
    this.#first = this.#kept.get(wanted)?.first ?? 0;
    if (this.#kept.has(wanted)) return;
    const end = new AbortController();
    const pause = setTimeout(() => void this.#read(row, { width, wanted, signal: end.signal }), PAUSE_MS);
    this.#asked = { end, pause };
  }

  async #read(
    row: Row,
    { width, wanted, signal }: { width: number; wanted: string; signal: AbortSignal },
  ): Promise<void> {
    let text: Text;
    try {
      text = this.#fitted(await this.#source.preview(row, { width, signal }), width);
    } catch (error) {
      const said = this.#around.tui.wrapTextWithAnsi(messageOf(error), width);
      text = { lines: said.map((line) => this.#around.theme.fg("error", line)), first: 0 };
    }
    if (signal.aborted) return;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(wanted, text);
    if (wanted === this.#wanted) this.#first = text.first;
    this.#around.draw();
  }

  #fitted(shown: string, width: number): Text {
    const { tui } = this.#around;
    const lines = styledLines(cutTo(shown, MOST).trimEnd()).flatMap((line) =>
      tui.visibleWidth(line) > width ? tui.wrapTextWithAnsi(line, width) : [line],
    );
    return {
      lines,
      first: Math.max(
        0,
        lines.findIndex((line) => HIT.test(line)),
      ),
    };
  }
}

/** What `show` writes before the headline of the entry that was asked for, in colour or without. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
const HIT = /^(?:\u001b\[[\d;]*m)*▶/;
