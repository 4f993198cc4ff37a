import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import type { Output } from "./output.ts";
import type { World } from "./world.ts";

/** Makes a text a link to a line of a file. */
export type Linker = (text: string, path: string, line: number) => string;

/**
 * Links as terminals take them (OSC 8), where this one does: not where colour is off, because who turns it off wants plain
 * text.
 */
export async function linkerFor(out: Output, { env, showsLinks }: World): Promise<Linker> {
  const isShown = out.isTerminal && out.paint.isColorSupported && (await showsLinks?.()) === true;
  if (!isShown) return String;
  // These open a file at a line; others would look for a file of that name.
  const takesLine = env.TERM === "xterm-kitty" || env.TERM_PROGRAM === "iTerm.app";
  return (text, path, line) => {
    const url = pathToFileURL(path);
    // The terminal may be on another machine, with another file in this place. On Windows a host would be a share.
    if (process.platform !== "win32") url.hostname = hostname();
    if (takesLine) url.hash = String(line);
    return `\u001b]8;;${url.href}\u001b\\${text}\u001b]8;;\u001b\\`;
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a link is made of.
const LINK = /\u001b\]8;;[^\u001b]*\u001b\\/g;

/** A text with the words of its links only. */
export function withoutLinks(text: string): string {
  return text.replace(LINK, "");
}
