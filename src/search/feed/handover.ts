import type { EntryRow, TextSink } from "../../indexing/text-sink.ts";
import type { Database } from "../../store/native.ts";
import { joinedTexts } from "../fts/indexed-text.ts";
import { type HandedKeys, lastRemoval, lotOf } from "./position.ts";
import { type FilledBlock, TextBlocks } from "./text-blocks.ts";

/** The texts of all entries of one transaction. */
export interface HandedBatch extends HandedKeys {
  blocks: FilledBlock[];
}

/** Texts that another thread hands over. */
export interface HandedTexts {
  blocks: TextBlocks;
  /** The batch that is to be taken in next. */
  next(): HandedBatch | undefined;
  /** It was taken in, or passed over. */
  taken(): void;
}

/** Hands texts to the thread that fills the full text, by transactions. What it has no room for is read again later. */
export class TextHandover implements TextSink {
  readonly #rows: Database;
  readonly #blocks: TextBlocks;
  readonly #send: (batch: HandedBatch) => void;
  #batch: Omit<HandedBatch, "lot"> | null = null;
  /** There was no room in this transaction. */
  #isLost = false;

  constructor(rows: Database, blocks: TextBlocks, send: (batch: HandedBatch) => void) {
    this.#rows = rows;
    this.#blocks = blocks;
    this.#send = send;
  }

  add(row: Pick<EntryRow, "key" | "timestamp">, texts: readonly string[]): void {
    if (this.#isLost) return;
    const { key } = row;
    this.#batch ??= { blocks: [], first: key, last: key, removalsBefore: lastRemoval(this.#rows) };
    this.#batch.last = key;
    this.#write(this.#batch.blocks, row, joinedTexts(texts));
  }

  committed(): void {
    const batch = this.#batch;
    if (batch !== null && !this.#isLost) this.#send({ ...batch, lot: lotOf(this.#rows, batch.last) });
    this.#batch = null;
    this.#isLost = false;
  }

  dropped(): void {
    for (const block of this.#batch?.blocks.splice(0) ?? []) this.#blocks.giveBack(block);
    this.#batch = null;
    this.#isLost = false;
  }

  #write(blocks: FilledBlock[], row: Pick<EntryRow, "key" | "timestamp">, text: string | null): void {
    for (;;) {
      const last = blocks.at(-1);
      if (last !== undefined && this.#blocks.write(last, row, text)) return;
      const next = TextBlocks.areAll(blocks) ? null : this.#blocks.take();
      if (next === null) break;
      blocks.push(next);
    }
    for (const block of blocks.splice(0)) this.#blocks.giveBack(block);
    this.#isLost = true;
  }
}
