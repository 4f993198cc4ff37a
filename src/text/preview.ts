/** Characters of a preview. */
export const PREVIEW_LENGTH = 80;
/** Characters of a title. */
export const TITLE_LENGTH = 120;

/** Whether a preview may be cut from a longer text. A cut one is a unit shorter where it would split a character. */
export function isCutPreview(preview: string): boolean {
  return preview.length >= PREVIEW_LENGTH - 1;
}

/** Whether a title may be cut from a longer text, as `isCutPreview`. */
export function isCutTitle(title: string): boolean {
  return title.length >= TITLE_LENGTH - 1;
}

/** Whether anything of a text is seen: not spaces, joiners and selectors alone. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** A preview for people: one that was cut ends in an ellipsis. `mask` takes secrets out of it. */
export function shownPreview(preview: string, mask: (preview: string) => string = String): string {
  return isCutPreview(preview) ? `${mask(preview)}…` : mask(preview);
}

/**
 * What the title of a session ends in for people: an ellipsis where it was cut from a first message. Names are never
 * cut. Without the message that a title was `made` from, and begins with it, one of just that length cannot be told from
 * a cut one.
 */
export function endOfTitle(title: string, made: Partial<TitleSource> = {}): string {
  const { name = null, firstMessage = null } = made;
  if (name !== null || !isCutTitle(title) || title.length > TITLE_LENGTH) return "";
  const isWhole = firstMessage !== null && foldedLine(firstMessage, title.length + 2) === title;
  return isWhole ? "" : "…";
}

/** What a session's title is made from. */
interface TitleSource {
  name: string | null;
  firstMessage: string | null;
}

/**
 * Whether a preview is the beginning of a text also as SQLite cuts it: by characters of Unicode, not UTF-16 units, and
 * at NUL. An empty preview is one only of an empty text.
 */
export function isBeginningOf(preview: string, text: string): boolean {
  if (preview !== text.slice(0, PREVIEW_LENGTH)) return false;
  return !CUT_OTHERWISE.test(preview);
}

const CUT_OTHERWISE = /[\0\ud800-\udfff]/;

/**
 * How many times the wanted length is looked at, at most: a megabyte of white space is not worth folding for one line.
 */
export const LINES_LOOKED_AT = 50;

/** White space folded, cut to `length` UTF-16 units without splitting a character. */
export function foldedLine(text: string, length: number): string {
  return cutAt(fold(text, Math.min(text.length, length * LINES_LOOKED_AT), length), length);
}

/**
 * Returns the beginning of `text.replace(/\s+/g, " ").trim()`, ended soon after `enough` units. It runs for every
 * entry, and takes half the time of that expression.
 */
function fold(text: string, end: number, enough: number): string {
  let folded = "";
  let start = afterSpace(text, 0, end);
  let last = start + enough;
  for (let at = start; at < end; at++) {
    if (at > last) return folded + text.slice(start, at);
    if (!isSpace(text.charCodeAt(at))) continue;
    const next = afterSpace(text, at + 1, end);
    if (next === end) return folded + text.slice(start, at);
    if (next === at + 1 && text.charCodeAt(at) === SPACE) continue;
    folded += `${text.slice(start, at)} `;
    start = next;
    last = start + enough - folded.length;
    at = next - 1;
  }
  return folded + text.slice(start, end);
}

/** Where the white space that begins at `from` ends. */
function afterSpace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isSpace(text.charCodeAt(at))) at++;
  return at;
}

const SPACE = 0x20;
const WIDE_SPACE = /\s/;

/** Whether `\s` matches. */
function isSpace(code: number): boolean {
  if (code < 0xa0) return code <= SPACE && (code === SPACE || (code >= 0x09 && code <= 0x0d));
  return WIDE_SPACE.test(String.fromCharCode(code));
}

function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const code = text.charCodeAt(length - 1);
  const splitsPair = code >= 0xd800 && code <= 0xdbff;
  return text.slice(0, splitsPair ? length - 1 : length);
}

/** Shown in lists for a session without messages. */
export const NO_MESSAGES = "(no messages)";
