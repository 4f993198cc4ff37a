import { maskTitle } from "../../format/secrets.ts";

/** A session's title for people: what was typed first may hold a secret, and a list is soon on a shared screen. */
export function shownTitle(title: string): string {
  return maskTitle(title) || "(empty)";
}
