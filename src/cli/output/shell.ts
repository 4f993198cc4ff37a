import { BIDI_CONTROLS } from "../../text/sanitise.ts";

/** Words that every POSIX shell, and fish, takes as they stand. */
const HARMLESS = /^[A-Za-z0-9_./:@%+,=-]+$/;
const CONTROL = new RegExp(`[\\p{Cc}${BIDI_CONTROLS}]`, "u");

/** A text as one word of a command line for the user's shell, whatever is in it. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return /^[\w.:\\/-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
  if (HARMLESS.test(text)) return text;
  return CONTROL.test(text) ? escapedWord(text) : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word with escapes for characters that a terminal would obey; bash, zsh and ksh understand them. */
function escapedWord(text: string): string {
  const escaped = Array.from(text, (character) => {
    if (character === "'" || character === "\\") return `\\${character}`;
    if (!CONTROL.test(character)) return character;
    return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  });
  return `$'${escaped.join("")}'`;
}
