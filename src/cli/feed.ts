import { setTimeout } from "node:timers/promises";
import { SearchFeed } from "../sync/full-text/search-thread.ts";
import { breathe, type Work } from "./steps.ts";

/** How long to wait for the worker between two looks at the bars and at Ctrl-C. */
const LOOK_MS = 50;

const UNTIDY =
  "all can be searched, but the disk of the index has no room left to tidy up the full text; sessiondb sync does it once there is some.";

/**
 * Runs `rows` here while a worker feeds the full text behind it; resolves when both are done. `mergesAll`: waits until
 * its segments are merged, too. @throws Interrupted
 */
export async function withFeed<T>(
  work: Work,
  rows: () => Promise<T>,
  options: { mergesAll: boolean },
): Promise<T> {
  const feed = new SearchFeed(work.index.location, options);
  feed.onProgress((report) => work.bars.update(report));
  // Settled at once: a worker that fails early must not go unheard while the rows are being read.
  const fed: Promise<Settled> = feed.finished.then(
    ({ outOfRoom }) => ({ outOfRoom }),
    (error: unknown) => ({ error }),
  );
  try {
    const value = await rows();
    feed.rowsDone();
    await waitFor(fed, work);
    return value;
  } finally {
    feed.stop();
    await fed;
  }
}

type Settled = { outOfRoom: boolean } | { error: unknown };

async function waitFor(fed: Promise<Settled>, { bars, signal, context }: Work): Promise<void> {
  for (;;) {
    const settled = await Promise.race([fed, setTimeout(LOOK_MS, undefined)]);
    await breathe(bars, signal);
    if (settled === undefined) continue;
    if ("error" in settled) throw settled.error;
    if (settled.outOfRoom) context.talk.note(UNTIDY);
    return;
  }
}
