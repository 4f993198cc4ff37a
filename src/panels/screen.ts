/** What a panel is drawn with and on: pi's terminal library, or the same one that the shell's panel brings along. */

export type Color = "accent" | "border" | "dim" | "error" | "muted" | "success" | "text" | "warning";

export interface Theme {
  fg(color: Color, text: string): string;
  bold(text: string): string;
}

/** Something that is drawn, and that gets the keys. */
export interface Component {
  render(width: number): string[];
  handleInput(data: string): void;
  invalidate(): void;
  dispose?(): void;
}

export interface Screen {
  requestRender(): void;
  terminal: { rows: number };
}

export interface Keys {
  matches(data: string, name: KeyName): boolean;
}

export type KeyName =
  | "tui.input.tab"
  | "tui.select.up"
  | "tui.select.down"
  | "tui.select.pageUp"
  | "tui.select.pageDown"
  | "tui.select.confirm"
  | "tui.select.cancel";

/** The terminal library. */
export interface Tui {
  Input: new () => TextInput;
  matchesKey(data: string, key: string): boolean;
  truncateToWidth(text: string, width: number, ellipsis?: string): string;
  visibleWidth(text: string): number;
  wrapTextWithAnsi(text: string, width: number): string[];
}

/** An input line. */
export interface TextInput {
  focused: boolean;
  getValue(): string;
  handleInput(data: string): void;
  /** Since pi 1.6 the same array again and again. */
  render(width: number): readonly string[];
  invalidate(): void;
}
