import type { PanelSource } from "./panel-source.ts";
import type { Tui } from "./screen.ts";

/** A key, and what it does: a word for the footer, a sentence for the list of all keys. */
interface KeyWord {
  key: string;
  word: string;
  about: string;
}

/** Keys that every panel has, beside those of its actions. */
export const PANEL_KEYS = {
  scope: { key: "tab", word: "scope", about: "everywhere, or this project only" },
  preview: {
    key: "→",
    word: "preview",
    about: "read on: arrows and pages scroll, ← goes back (Space, where nothing is typed)",
  },
  sort: { key: "ctrl+s", word: "sort", about: "another order" },
  named: { key: "ctrl+n", word: "named", about: "only sessions that have a name, or all" },
  role: { key: "ctrl+t", word: "who", about: "only what people said, then models, then tools" },
  help: { key: "f1", word: "keys", about: "this list (also ?, where nothing is typed)" },
  close: { key: "esc", word: "close", about: "close" },
} as const;

/** While the arrows scroll the conversation. */
const PREVIEW_KEYS = [
  { key: "←", word: "back", about: "back to the rows" },
  { key: "↑ ↓", word: "scroll", about: "scroll" },
] as const;

/** All keys of a panel, what is needed most before what is needed less; without a row those that need none. */
export function keyWordsOf<Row>(
  { actions, roles }: Pick<PanelSource<Row>, "actions" | "roles">,
  { hasRows, isPreview = false }: { hasRows: boolean; isPreview?: boolean },
): KeyWord[] {
  const { scope, preview, sort, named, role, help, close } = PANEL_KEYS;
  const filters = [sort, named, ...(roles.length > 0 ? [role] : [])];
  if (!hasRows) return [close, scope, help, ...filters];
  const [first, second, ...others] = actions.map(({ key, name, about }) => [{ key, word: name, about }]);
  if (isPreview) return [...PREVIEW_KEYS, first ?? [], second ?? [], others.flat()].flat();
  return [close, first ?? [], scope, preview, help, second ?? [], filters, others.flat()].flat();
}

const SEPARATOR = " · ";

/** As many keys as fit, by their order; the way out stands last. Empty where not even that fits. */
export function footerOf(words: readonly KeyWord[], width: number): string {
  const [close, ...others] = words.map(({ key, word }) => `${key} ${word}`);
  if (close === undefined || close.length > width) return "";
  const shown: string[] = [];
  let left = width - close.length;
  for (const each of others) {
    if (each.length + SEPARATOR.length > left) break;
    left -= each.length + SEPARATOR.length;
    shown.push(each);
  }
  return [...shown, close].join(SEPARATOR);
}

/** All keys, each with what it does; where there are too few lines for that, in a word, one after the other. */
export function helpLines(
  words: readonly KeyWord[],
  tui: Tui,
  room: { width: number; height: number },
): string[] {
  const widest = Math.max(...words.map(({ key }) => key.length));
  const moves = { key: "↑ ↓", word: "choose", about: "choose; Page Up and Page Down go further" };
  const all = [moves, ...words];
  const lines = all.flatMap(({ key, about }) =>
    tui
      .wrapTextWithAnsi(about, Math.max(1, room.width - widest - 2))
      .map((line, at) => `${(at === 0 ? key : "").padEnd(widest)}  ${line}`),
  );
  if (lines.length <= room.height) return lines;
  return tui.wrapTextWithAnsi(all.map(({ key, word }) => `${key} ${word}`).join(SEPARATOR), room.width);
}
