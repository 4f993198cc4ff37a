import { maskTitle } from "../../format/secrets.ts";
import { oneLine } from "./sanitise.ts";

/**
 * A session's title for people, on one line: what was typed first may hold a secret, and a list is soon on a shared
 * screen.
 */
export function shownTitle(title: string): string {
  return wholeTitle(maskTitle(title));
}

/** One in which secrets are masked already, or asked for. */
export function wholeTitle(title: string): string {
  const line = oneLine(title);
  return VISIBLE.test(line) ? line : "(empty)";
}

const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;
