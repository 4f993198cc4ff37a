import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type IndexLocation, openIndex } from "../../db/open.ts";
import { TextsReader } from "./texts-ahead.ts";

/** `TextFacts` are the answer to each question; the texts themselves are written into the room. */
export type ToTextsWorker = { kind: "after"; key: number; room: SharedArrayBuffer } | { kind: "close" };

/** Rows are read in the order they stand in: few pages are looked at twice. */
const CACHE_KIB = 2048;

function answer(port: MessagePort, location: IndexLocation): void {
  const index = openIndex(location, { readonly: true, busyTimeoutMs: 5000, cacheKiB: CACHE_KIB });
  const reader = new TextsReader(index.database);
  port.on("message", (question: ToTextsWorker) => {
    if (question.kind === "after") {
      const facts = reader.after(question.key, question.room);
      port.postMessage(facts, [facts.places.buffer, facts.ends.buffer]);
    } else {
      index.close();
      port.close();
    }
  });
}

if (parentPort) answer(parentPort, workerData as IndexLocation);
