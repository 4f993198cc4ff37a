import type { MessagePort } from "node:worker_threads";
import type { DigestColumns } from "./digest-columns.ts";
import type { SharedPaths } from "./path-list.ts";
import type { ReadStep } from "./read-ahead-step.ts";

/** A step on its way: its digests are in the columns of its batch. */
export interface SentStep extends ReadStep {
  /** Which of the files it is of. */
  file: number;
}

/** Steps that are handed over in one go. */
export interface AheadBatch {
  steps: SentStep[];
  columns: DigestColumns;
}

/** What the thread is given. */
export interface AheadOrder {
  /** Real paths, in the order of their turns. */
  files: SharedPaths;
  port: MessagePort;
  shared: SharedArrayBuffer;
}

/** How many batches may wait to be taken: so much is read ahead at most. */
const MOST_WAITING = 2;

/** Places of the numbers that both threads see: each thread writes its own, and may sleep until the other's change. */
const SENT = 0;
const TAKEN = 1;
/** The file whose turn it is. */
const TURN = 2;
/** Nothing more is wanted, or nothing more will come. */
const OVER = 3;

/** How far both threads are. Synchronous, because neither gets back to its event loop while it waits. */
export class Meeting {
  readonly shared: SharedArrayBuffer;
  readonly #numbers: Int32Array;

  constructor(shared = new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#numbers = new Int32Array(shared);
  }

  get sent(): number {
    return Atomics.load(this.#numbers, SENT);
  }

  get waiting(): number {
    return this.sent - Atomics.load(this.#numbers, TAKEN);
  }

  get turn(): number {
    return Atomics.load(this.#numbers, TURN);
  }

  set turn(file: number) {
    Atomics.store(this.#numbers, TURN, file);
  }

  get isOver(): boolean {
    return Atomics.load(this.#numbers, OVER) === 1;
  }

  noteSent(): void {
    this.#change(SENT);
  }

  noteTaken(): void {
    this.#change(TAKEN);
  }

  end(): void {
    Atomics.store(this.#numbers, OVER, 1);
    // Wakes a thread that sleeps, and keeps one that is about to sleep from doing so.
    for (const place of [SENT, TAKEN]) this.#change(place);
  }

  /** Sleeps until something more is sent than `sent`. False when nothing came in time. */
  awaitSent(sent: number, timeoutMs: number): boolean {
    return Atomics.wait(this.#numbers, SENT, sent, timeoutMs) !== "timed-out";
  }

  /** Sleeps while enough is waiting to be taken. */
  awaitRoom(): void {
    while (!this.isOver) {
      const taken = Atomics.load(this.#numbers, TAKEN);
      if (this.sent - taken < MOST_WAITING) return;
      Atomics.wait(this.#numbers, TAKEN, taken);
    }
  }

  #change(place: number): void {
    Atomics.add(this.#numbers, place, 1);
    Atomics.notify(this.#numbers, place);
  }
}
