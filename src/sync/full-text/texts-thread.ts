import { Worker } from "node:worker_threads";
import type { IndexLocation } from "../../db/open.ts";
import { moduleBeside } from "../../file/module-beside.ts";
import { lastKeyOf, ROOM_BYTES, type TextFacts, type TextsAhead } from "./texts-ahead.ts";
import type { ToTextsWorker } from "./texts-worker.ts";

/** Two or three batches are all it ever holds. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

/**
 * A thread that reads the texts of the next batch while this one adds those of the present one. It decides nothing:
 * what it gives may be out of date, and is compared with the rows before it is added. When it cannot go on it gives
 * nothing more; whoever then reads the same entries meets the cause and says so.
 */
export class TextsThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  /** Those who wait, in the order of their questions. */
  readonly #waiting: ((facts: TextFacts | null) => void)[] = [];
  /** In turn: one is written while the other is read. */
  readonly #rooms = [new SharedArrayBuffer(ROOM_BYTES), new SharedArrayBuffer(ROOM_BYTES)] as const;
  #asked = 0;
  #next: { key: number; texts: Promise<TextsAhead | null> } | null = null;
  #isOver = false;

  constructor(location: IndexLocation) {
    const file = moduleBeside("./texts-worker", import.meta.url);
    this.#worker = new Worker(file, { workerData: location, resourceLimits: LIMITS });
    this.#worker.on("message", (facts: TextFacts) => this.#waiting.shift()?.(facts));
    this.#worker.on("error", () => this.#giveUp());
    this.#ended = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#giveUp();
        resolve();
      });
    });
  }

  /**
   * A batch of texts after a key, good until the next one is asked for; null where there is none, or it has to be read
   * by whoever asks.
   */
  async after(key: number): Promise<TextsAhead | null> {
    const texts = await (this.#next?.key === key ? this.#next.texts : this.#ask(key));
    const last = texts === null ? undefined : lastKeyOf(texts);
    this.#next = last === undefined ? null : { key: last, texts: this.#ask(last) };
    return last === undefined ? null : texts;
  }

  /** Resolves when the thread has ended, which it does with the batch that it is reading. */
  async close(): Promise<void> {
    this.#tell({ kind: "close" });
    await this.#ended;
  }

  async #ask(key: number): Promise<TextsAhead | null> {
    if (this.#isOver) return null;
    const utf8 = this.#rooms[this.#asked++ % 2 === 0 ? 0 : 1];
    this.#tell({ kind: "after", key, room: utf8 });
    const facts = await new Promise<TextFacts | null>((resolve) => this.#waiting.push(resolve));
    return facts && { ...facts, utf8 };
  }

  #giveUp(): void {
    this.#isOver = true;
    for (const resolve of this.#waiting.splice(0)) resolve(null);
  }

  #tell(message: ToTextsWorker): void {
    this.#worker.postMessage(message);
  }
}
