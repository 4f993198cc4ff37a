import type { Component, Keys, Screen, Theme } from "../panels/screen.ts";

/**
 * The part of pi that the extension uses, declared here: pi is not a dependency, and every version since 0.73
 * fits, under either of its package names. A test compares these types with pi's own declarations.
 */

type Factory<T> = (screen: Screen, theme: Theme, keys: Keys, done: (result: T) => void) => Component;

/** What the editor offers while a message is typed. */
export interface Completion {
  value: string;
  label: string;
  description?: string;
}

export interface Completer {
  /** Since 0.87; before, `@` and `#` are those there are. */
  triggerCharacters?: string[];
  getSuggestions(
    lines: string[],
    line: number,
    column: number,
    options: { signal: AbortSignal; force?: boolean },
  ): Promise<{ items: Completion[]; prefix: string } | null>;
  applyCompletion(
    lines: string[],
    line: number,
    column: number,
    item: Completion,
    prefix: string,
  ): { lines: string[]; cursorLine: number; cursorCol: number };
  shouldTriggerFileCompletion?(lines: string[], line: number, column: number): boolean;
}

export interface Dialogs {
  notify(message: string, type?: "info" | "warning" | "error"): void;
  confirm(title: string, message: string): Promise<boolean>;
  input(title: string, placeholder?: string): Promise<string | undefined>;
  select(title: string, options: string[]): Promise<string | undefined>;
  pasteToEditor(text: string): void;
  custom<T>(factory: Factory<T>): Promise<T>;
  /** A text in the footer, or none. */
  setStatus?(key: string, text: string | undefined): void;
  addAutocompleteProvider?(factory: (before: Completer) => Completer): void;
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
  switchSession(
    path: string,
    options?: { withSession?: (there: CommandContext) => Promise<void> },
  ): Promise<{ cancelled: boolean }>;
  /** Goes to an entry of the session, as `/tree` does. */
  navigateTree(entry: string): Promise<{ cancelled: boolean }>;
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
  /** Of the session that is open. */
  setSessionName(name: string): void;
  registerFlag(name: string, flag: { description: string; type: "boolean" }): void;
  /** Known once extensions are loaded. */
  getFlag(name: string): boolean | string | undefined;
  /** Those that are registered; `exposure` where this pi knows what that is. */
  getAllTools(): { name: string; exposure?: string }[];
  /** Those that are declared to the model. */
  getActiveTools(): string[];
  setActiveTools(names: string[]): void;
}
