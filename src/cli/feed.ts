import { setTimeout } from "node:timers/promises";
import { SearchFeed } from "../sync/full-text/search-thread.ts";
import { breathe, type Work } from "./steps.ts";

/** How long to wait for the worker between two looks at the bars and at Ctrl-C. */
const LOOK_MS = 50;

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
    () => ({ failed: false, error: undefined }),
    (error: unknown) => ({ failed: true, error }),
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

interface Settled {
  failed: boolean;
  error: unknown;
}

async function waitFor(fed: Promise<Settled>, { bars, signal }: Work): Promise<void> {
  for (;;) {
    const settled = await Promise.race([fed, setTimeout(LOOK_MS, undefined)]);
    await breathe(bars, signal);
    if (settled === undefined) continue;
    if (settled.failed) throw settled.error;
    return;
  }
}
