import { agoOf, projectOf } from "../panels/draw.ts";
import type { KnownSessions, SessionRow } from "../panels/known-sessions.ts";
import { cutTo } from "../panels/text.ts";
import type { Completer, Completion } from "./host.ts";

/** Sessions that are offered at once. */
const MOST = 8;
/** `#tide` at the end of what is typed, which a word has to begin. */
const TYPED = /(?:^|\s)(#[^\s#]*)$/;

/**
 * Completes `#words` in a message to the id of a session, by which the tools of the model find it; everything else as
 * before. It knows the sessions that a panel, or pi's start, has read.
 */
export function sessionNames(sessions: KnownSessions, cwd: string): (before: Completer) => Completer {
  return (before) => ({
    triggerCharacters: [...new Set([...(before.triggerCharacters ?? []), "#"])],
    getSuggestions(lines, line, column, options) {
      const typed = typedIn(lines, line, column);
      const items = typed === undefined ? [] : offered(sessions, typed.slice(1), cwd);
      if (typed === undefined || items.length === 0)
        return before.getSuggestions(lines, line, column, options);
      return Promise.resolve({ items, prefix: typed });
    },
    applyCompletion(lines, line, column, item, prefix) {
      if (!prefix.startsWith("#")) return before.applyCompletion(lines, line, column, item, prefix);
      const text = lines[line] ?? "";
      const start = text.slice(0, column - prefix.length) + item.value;
      const changed = lines.map((each, at) => (at === line ? `${start} ${text.slice(column)}` : each));
      return { lines: changed, cursorLine: line, cursorCol: start.length + 1 };
    },
    shouldTriggerFileCompletion: (lines, line, column) =>
      before.shouldTriggerFileCompletion?.(lines, line, column) ?? true,
  });
}

function typedIn(lines: readonly string[], line: number, column: number): string | undefined {
  return TYPED.exec((lines[line] ?? "").slice(0, column))?.[1];
}

function offered(sessions: KnownSessions, query: string, cwd: string): Completion[] {
  const now = Date.now();
  const found = sessions.matching({ query, here: false }, cwd).slice(0, MOST);
  return found.map((session) => asCompletion(session, now));
}

function asCompletion({ id, title, cwd, modified }: SessionRow, now: number): Completion {
  const place = [projectOf(cwd), agoOf(modified, now)].filter(Boolean).join(" · ");
  return { value: `session ${id}`, label: cutTo(title, 60), description: place };
}
