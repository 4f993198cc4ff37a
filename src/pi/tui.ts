import type { Tui } from "../panels/screen.ts";

/** The package's name since 0.74, and the one before. */
const NAMES = ["@earendil-works/pi-tui", "@mariozechner/pi-tui"];

/** pi's terminal library, which pi provides to extensions. It is loaded only when something is drawn. */
export async function loadTui(): Promise<Tui> {
  let problem: unknown;
  for (const name of NAMES) {
    try {
      return await import(name);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}
