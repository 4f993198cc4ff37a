import { signal } from "@preact/signals";

/** What was copied a moment ago, to be said. */
export const copied = signal("");

/** How long that is said, in milliseconds. */
const SAID = 2500;

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  copied.value = text;
  setTimeout(() => {
    if (copied.value === text) copied.value = "";
  }, SAID);
}
