import { maskTitle } from "../../format/secrets.ts";
import { oneLine } from "./sanitise.ts";

/**
 * A session's title for people, on one line. Secrets are masked: the first message may hold one, and a list may be seen
 * on a shared screen.
 */
export function shownTitle(title: string): string {
  return wholeTitle(maskTitle(title));
}

/** The same for a title whose secrets are masked already, or to be shown. */
export function wholeTitle(title: string): string {
  const line = oneLine(title);
  return VISIBLE.test(line) ? line : "(empty)";
}

const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;
