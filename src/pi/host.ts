/**
 * The part of pi that the extension uses, declared here: pi is not a dependency, and every version since 0.73
 * fits, under either of its package names. A test compares these types with pi's own declarations.
 */

export type Color = "accent" | "border" | "dim" | "error" | "muted" | "success" | "text" | "warning";

export interface Theme {
  fg(color: Color, text: string): string;
  bold(text: string): string;
}

/** Something that pi draws in the place of its editor, and that gets the keys. */
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

type Factory<T> = (screen: Screen, theme: Theme, keys: Keys, done: (result: T) => void) => Component;

export interface Dialogs {
  notify(message: string, type?: "info" | "warning" | "error"): void;
  confirm(title: string, message: string): Promise<boolean>;
  input(title: string, placeholder?: string): Promise<string | undefined>;
  select(title: string, options: string[]): Promise<string | undefined>;
  pasteToEditor(text: string): void;
  custom<T>(factory: Factory<T>): Promise<T>;
}

export interface Context {
  ui: Dialogs;
  /** Since 0.75 or so; absent before. */
  mode?: "tui" | "rpc" | "json" | "print";
  /** Whether dialogs reach anybody, at a terminal or at the other end of RPC. */
  hasUI: boolean;
  cwd: string;
  sessionManager: { getSessionFile(): string | undefined };
  isIdle(): boolean;
}

export interface CommandContext extends Context {
  switchSession(path: string): Promise<{ cancelled: boolean }>;
}

interface ToolResult {
  content: { type: "text"; text: string }[];
  details: unknown;
}

export interface Tool {
  name: string;
  label: string;
  description: string;
  promptSnippet: string;
  promptGuidelines: string[];
  /** JSON schema. */
  parameters: object;
  /** Hints for permission gates, with the meaning of MCP's; pi reads them since 1.x. */
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
  /** How the model reaches it, where that is not at once: pi knows this since 1.x. */
  exposure?: "deferred";
  execute(
    id: string,
    params: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: Context,
  ): Promise<ToolResult>;
}

export interface Command {
  description: string;
  handler(args: string, context: CommandContext): Promise<void>;
}

export interface Pi {
  on(event: "session_start", handler: (event: { reason: string }, context: Context) => void): unknown;
  /** After each answer of the model and the tools that it called. */
  on(event: "turn_end", handler: (event: object, context: Context) => void): unknown;
  on(event: "session_shutdown", handler: () => void): unknown;
  registerCommand(name: string, command: Command): void;
  registerTool(tool: Tool): void;
  registerFlag(name: string, flag: { description: string; type: "boolean" }): void;
  /** Known once extensions are loaded. */
  getFlag(name: string): boolean | string | undefined;
  /** Those that are registered; `exposure` where this pi knows what that is. */
  getAllTools(): { name: string; exposure?: string }[];
  /** Those that are declared to the model. */
  getActiveTools(): string[];
  setActiveTools(names: string[]): void;
}
