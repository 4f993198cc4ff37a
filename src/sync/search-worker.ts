import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type IndexLocation, openIndex } from "../db/open.ts";
import { codeOf } from "../errors.ts";
import { type FeedResult, SearchFeeder } from "./search-feed.ts";
import type { SyncProgress } from "./sync-all.ts";

/** What the worker says. */
export type FromWorker =
  | { kind: "progress"; progress: SyncProgress }
  | { kind: "finished"; result: FeedResult }
  | { kind: "failed"; code: string; message: string };

/** What it is told. It is never terminated from outside: it closes its databases and ends. */
export type ToWorker = { kind: "rowsDone" } | { kind: "stop" };

/** One look at the messages between two stretches of work, in ms. */
const SLICE_MS = 150;
const IDLE_MS = 20;

async function follow(port: MessagePort, location: IndexLocation): Promise<FeedResult> {
  const index = openIndex(location, { busyTimeoutMs: 5000 });
  const told = { rowsDone: false, stop: false };
  port.on("message", (message: ToWorker) => {
    told[message.kind] = true;
  });
  try {
    const feeder = new SearchFeeder(index);
    for (;;) {
      const last = told.rowsDone;
      const result = feeder.run({
        deadlineMs: Date.now() + SLICE_MS,
        // While rows are written there is enough to do, and it may be them that the missed ones wait for.
        retryMissed: last,
        onProgress: (progress) => port.postMessage({ kind: "progress", progress } satisfies FromWorker),
      });
      if (told.stop || (last && result.complete)) return result;
      await new Promise((resolve) => setTimeout(resolve, result.complete ? IDLE_MS : 0));
    }
  } finally {
    index.close();
  }
}

/** The last word: an open port would keep the thread, and with it the process, alive. */
function end(port: MessagePort, word: FromWorker): void {
  port.postMessage(word);
  port.close();
}

if (parentPort) {
  const port = parentPort;
  follow(port, workerData as IndexLocation).then(
    (result) => end(port, { kind: "finished", result }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      end(port, { kind: "failed", code: codeOf(error), message });
    },
  );
}
