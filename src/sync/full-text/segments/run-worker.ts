import type { MessagePort } from "node:worker_threads";
import { THREAD_BUSY_TIMEOUT_MS } from "../../../store/connection.ts";
import type { IndexLocation } from "../../../store/location.ts";
import { openIndex } from "../../../store/open.ts";
import { StopFlag } from "../../stop-flag.ts";
import { EntriesReader, type KeyRange } from "./entries-reader.ts";
import { Alphabet } from "./letters.ts";

/** What it begins with. */
export interface RunOrders {
  location: IndexLocation;
  /** The statement that made the full text. */
  definition: string;
  /** Of a `StopFlag`: what is being built is wanted no more, and the thread ends. */
  stop: Int32Array<SharedArrayBuffer>;
}

/** A `BuiltRun` is the answer to each range. */
export type ToRunWorker = { kind: "build"; range: KeyRange; room: SharedArrayBuffer } | { kind: "close" };

/** Rows are read in the order they stand in: few pages are looked at twice. */
const CACHE_KIB = 2048;

export function serve(port: MessagePort, { location, definition, stop }: RunOrders): void {
  const busyTimeoutMs = THREAD_BUSY_TIMEOUT_MS;
  const index = openIndex(location, { readonly: true, busyTimeoutMs, cacheKiB: CACHE_KIB });
  const alphabet = new Alphabet(definition);
  const reader = new EntriesReader(index.database, alphabet, new StopFlag(stop));
  port.on("message", (order: ToRunWorker) => {
    const run = order.kind === "build" ? reader.read(order.range, order.room) : null;
    if (run !== null) {
      port.postMessage(run);
      return;
    }
    alphabet.close();
    index.close();
    port.close();
  });
}
