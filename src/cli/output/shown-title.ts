import type { Titled } from "../../reports/masked-session.ts";
import { endOfTitle, isVisible } from "../../text/preview.ts";
import { oneLine } from "../../text/sanitise.ts";
import { maskTitle } from "../../text/secrets.ts";

/**
 * A session's title for people, on one line, with an ellipsis where it was cut. Secrets are masked: the first message may
 * hold one, and a list may be seen on a shared screen.
 */
export function shownTitle(session: Titled): string {
  const { title } = session;
  return titleLine(maskTitle(title), endOfTitle(title, session));
}

/** A title whose secrets are masked already, or to be shown, on one line. */
export function wholeTitle(session: Titled): string {
  const { title } = session;
  return titleLine(title, endOfTitle(title, session));
}

function titleLine(title: string, end: string): string {
  const line = oneLine(title);
  return isVisible(line) ? line + end : "(empty)";
}
