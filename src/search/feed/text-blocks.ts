/** What is kept of an entry beside its text. */
const KEY = 0;
const TIME = 8;
const LENGTH = 16;
const HEAD_BYTES = 20;

/** In the place of a length: the entry has no text, or its text had no room in any block. */
const NO_TEXT = -1;
const NO_ROOM = -2;

/** A transaction of rows reads some 4 MB of lines, so one block mostly takes the texts of one. */
const BLOCK_BYTES = 4 * 1024 * 1024;
const BLOCKS = 6;

/** Places of the numbers that both threads see, after one for each block that says whether it is in use. */
const FREED = BLOCKS;
const IS_SERVED = BLOCKS + 1;

/** How long the thread that writes rows waits for a block before it lets the texts be read again later. */
const PATIENCE_MS = 2000;

/** The memory of `TextBlocks`, to be handed to the other thread. */
export interface SharedBlocks {
  bytes: Uint8Array<SharedArrayBuffer>;
  numbers: Int32Array<SharedArrayBuffer>;
}

/** A block that is filled up to `end`. */
export interface FilledBlock {
  block: number;
  /** Bytes. */
  end: number;
}

/** An entry in a block; the text is valid until the block is given back. */
export interface HandedText {
  key: number;
  /** Unix ms. */
  timestamp: number | null;
  /** UTF-8; null for an entry without a text. */
  text: Buffer | null | "no room";
}

/**
 * Blocks of memory in which one thread hands texts to another. The one takes blocks and fills them, the other reads them and
 * gives them back. Which are filled is told by messages.
 */
export class TextBlocks {
  readonly shared: SharedBlocks;
  readonly #bytes: Buffer;
  readonly #numbers: Int32Array<SharedArrayBuffer>;
  /** Whether it is worth waiting: after having waited in vain not until a block is free. */
  #isPatient = true;

  constructor(
    shared: SharedBlocks = {
      // The system gives memory only for what is written to.
      bytes: new Uint8Array(new SharedArrayBuffer(BLOCKS * BLOCK_BYTES)),
      numbers: new Int32Array(new SharedArrayBuffer((BLOCKS + 2) * Int32Array.BYTES_PER_ELEMENT)),
    },
  ) {
    this.shared = shared;
    this.#bytes = Buffer.from(shared.bytes.buffer);
    this.#numbers = shared.numbers;
  }

  /** To be called by another thread than the one that fills blocks: from now on that one may wait for it. */
  serve(): void {
    Atomics.store(this.#numbers, IS_SERVED, 1);
  }

  /** An empty block; waits for one for a while. Null where there is none. */
  take(): FilledBlock | null {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const freed = Atomics.load(this.#numbers, FREED);
      const block = this.#numbers.subarray(0, BLOCKS).indexOf(0);
      if (block >= 0) {
        this.#isPatient = true;
        Atomics.store(this.#numbers, block, 1);
        return { block, end: 0 };
      }
      const isServed = Atomics.load(this.#numbers, IS_SERVED) === 1;
      const left = this.#isPatient && isServed ? deadline - performance.now() : 0;
      if (left > 0 && Atomics.wait(this.#numbers, FREED, freed, left) !== "timed-out") continue;
      this.#isPatient = false;
      return null;
    }
  }

  giveBack({ block }: FilledBlock): void {
    Atomics.store(this.#numbers, block, 0);
    Atomics.add(this.#numbers, FREED, 1);
    Atomics.notify(this.#numbers, FREED);
  }

  /** Whether all blocks are taken by those who hold `held`: waiting for another would be in vain. */
  static areAll(held: readonly FilledBlock[]): boolean {
    return held.length === BLOCKS;
  }

  /** Adds an entry to a block; false when it has no room left for it. A text that no block has room for is left out. */
  write(
    filled: FilledBlock,
    { key, timestamp }: { key: number; timestamp: number | null },
    text: string | null,
  ): boolean {
    const needed = text === null ? 0 : atMost(text);
    const room = BLOCK_BYTES - filled.end - HEAD_BYTES;
    const fits = needed <= room || (text !== null && Buffer.byteLength(text) <= room);
    const fitsNowhere = !fits && text !== null && Buffer.byteLength(text) > BLOCK_BYTES - HEAD_BYTES;
    if (room < 0 || (!fits && !fitsNowhere)) return false;
    const start = filled.block * BLOCK_BYTES + filled.end;
    this.#bytes.writeDoubleLE(key, start + KEY);
    this.#bytes.writeDoubleLE(timestamp ?? Number.NaN, start + TIME);
    filled.end += HEAD_BYTES;
    let length = text === null ? NO_TEXT : NO_ROOM;
    if (fits && text !== null) {
      length = this.#bytes.write(text, start + HEAD_BYTES);
      filled.end += length;
    }
    this.#bytes.writeInt32LE(length, start + LENGTH);
    return true;
  }

  *read({ block, end }: FilledBlock): Generator<HandedText> {
    const first = block * BLOCK_BYTES;
    for (let at = first; at < first + end; ) {
      const length = this.#bytes.readInt32LE(at + LENGTH);
      const time = this.#bytes.readDoubleLE(at + TIME);
      const from = at + HEAD_BYTES;
      yield {
        key: this.#bytes.readDoubleLE(at + KEY),
        timestamp: Number.isNaN(time) ? null : time,
        text: length >= 0 ? this.#bytes.subarray(from, from + length) : length === NO_TEXT ? null : "no room",
      };
      at = from + Math.max(0, length);
    }
  }
}

/** The most bytes that a text may have in UTF-8. */
function atMost(text: string): number {
  return 3 * text.length;
}
