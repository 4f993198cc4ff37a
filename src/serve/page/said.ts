import { signal } from "@preact/signals";

/** What has happened a moment ago, or has not, in a sentence. */
export const said = signal("");

/** How long that is said, in milliseconds; what went wrong takes longer to read. */
const SAID = 2500;
const SAID_WRONG = 10_000;

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`, SAID);
  } catch (error) {
    sayWrong("Nothing was copied", error);
  }
}

/** Says what did not work, and why. */
export function sayWrong(what: string, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  say(`${what}: ${why}`, SAID_WRONG);
}

function say(text: string, howLong: number): void {
  said.value = text;
  setTimeout(() => {
    if (said.value === text) said.value = "";
  }, howLong);
}
