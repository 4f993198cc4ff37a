import { threadId } from "node:worker_threads";
import type { StopSignal } from "../../runtime/cancellation.ts";
import type { SyncProgress } from "../../runtime/observer.ts";
import type { SearchFeeder } from "./feeder.ts";
import type { HandedBatch, HandedTexts } from "./handover.ts";
import { type SharedBlocks, TextBlocks } from "./text-blocks.ts";

/** So many batches are waited for before the first is taken in, for a while: each transaction leaves a segment. */
const ENOUGH_BATCHES = 3;
const GATHERING_MS = 500;

/** Where texts are handed over. */
export interface HandoverOrders {
  blocks: SharedBlocks;
  /** The thread that fills the blocks. */
  filledBy: number;
}

interface TakingIn {
  /** What `upTo` gave, and all up to there is read. */
  upTo: number;
  rowsDone: boolean;
  onProgress: (progress: SyncProgress) => void;
}

/**
 * The texts that were handed over and are not taken in yet.
 *
 * @internal
 */
export class HandedQueue implements HandedTexts {
  readonly blocks: TextBlocks;
  readonly #hearAll: () => void;
  readonly #stop: StopSignal;
  readonly #batches: HandedBatch[] = [];
  /** The last key that has to be read although later texts are handed over; null where none are. */
  #upTo: number | null = null;
  /** When the first of them came; steady ms. */
  #since = 0;

  /** @param hearAll calls `begin` and `add` for what was said while this thread was at work */
  constructor({ blocks, filledBy }: HandoverOrders, hearAll: () => void, stop: StopSignal) {
    this.blocks = new TextBlocks(blocks);
    if (threadId !== filledBy) this.blocks.serve();
    this.#hearAll = hearAll;
    this.#stop = stop;
  }

  /** Texts of entries after this key will be handed over. */
  begin(after: number): void {
    this.#upTo = after;
  }

  add(batch: HandedBatch): void {
    if (this.#batches.length === 0) this.#since = performance.now();
    this.#batches.push(batch);
  }

  /** Up to which key texts have to be read; null for all there are. */
  upTo(rowsDone: boolean): number | null {
    return rowsDone && this.#batches.length === 0 ? null : this.#upTo;
  }

  get isFull(): boolean {
    return this.#batches.length >= ENOUGH_BATCHES;
  }

  /** Takes in what there is, once enough has come to be worth a transaction. */
  takeIn(feeder: SearchFeeder, { upTo, rowsDone, onProgress }: TakingIn): void {
    if (!this.#isGathered(rowsDone)) return;
    const lacking = feeder.addHanded(this, onProgress);
    // Where reading has not brought what lacks, it is not waited for again.
    if (lacking !== null && lacking - 1 === upTo) this.#passOver();
    this.#upTo = Math.max(upTo, (lacking ?? 0) - 1);
  }

  next(): HandedBatch | undefined {
    this.#hearAll();
    return this.#stop.aborted ? undefined : this.#batches[0];
  }

  taken(): void {
    this.#batches.shift();
  }

  #passOver(): void {
    for (const block of this.#batches.shift()?.blocks ?? []) this.blocks.giveBack(block);
  }

  #isGathered(rowsDone: boolean): boolean {
    if (this.#batches.length === 0) return false;
    return rowsDone || this.isFull || performance.now() - this.#since > GATHERING_MS;
  }
}
