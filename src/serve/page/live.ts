import { signal } from "@preact/signals";
import { apiPath, isLoggedIn, request } from "./server.ts";

/** How many times the index has changed since the page was opened. */
export const indexChanges = signal(0);

/** `paused` while nobody looks at the page: a browser has six connections for all of its tabs. */
export const liveState = signal<"live" | "paused" | "lost">("paused");

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

let stop: AbortController | null = null;
let hasListened = false;

export function followIndex(): void {
  document.addEventListener("visibilitychange", follow);
  isLoggedIn.subscribe(follow);
}

function follow(): void {
  const isWanted = document.visibilityState === "visible" && isLoggedIn.value;
  if (!isWanted) {
    stop?.abort();
    stop = null;
    liveState.value = "paused";
  } else if (stop === null) {
    stop = new AbortController();
    void keepListening(stop.signal);
  }
}

async function keepListening(signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const response = await request(apiPath("events"), { signal });
      // What came while nobody listened is not told.
      if (hasListened) indexChanges.value++;
      hasListened = true;
      liveState.value = "live";
      pause = FIRST_PAUSE;
      await readEvents(response);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Error)) throw error;
    }
    if (signal.aborted) return;
    liveState.value = "lost";
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function readEvents(response: Response): Promise<void> {
  if (response.body === null) return;
  let rest = "";
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const events = (rest + decoder.decode(piece.value, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    if (events.some((event) => /^event: changed$/m.test(event))) indexChanges.value++;
  }
}
