/** pi's terminal library, which pi provides to extensions. It is loaded only when something is drawn. */
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

/** The package's name since 0.74, and the one before. */
const NAMES = ["@earendil-works/pi-tui", "@mariozechner/pi-tui"];

export async function loadTui(): Promise<Tui> {
  let problem: unknown;
  for (const name of NAMES) {
    try {
      return await import(name);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}
