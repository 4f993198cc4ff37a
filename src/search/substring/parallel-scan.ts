import { availableParallelism } from "node:os";
import { moduleAt } from "../../runtime/module-path.ts";
import { Thread } from "../../runtime/thread.ts";

/** What the threads are given. */
export interface ScanOrder {
  /** Real paths. */
  files: readonly string[];
  /** What is looked for. */
  needle: string;
  shared: SharedArrayBuffer;
}

const FREE = 0;
/** One of the threads is looking through the file. */
const TAKEN = 1;
const HOLDS_NOTHING = 2;
/** The file may hold the needle, or is looked through by the thread that asks. */
const LEFT = 3;

/** The state of each file, seen by all threads. Synchronous, because none of them gets back to its event loop meanwhile. */
export class FileStates {
  readonly shared: SharedArrayBuffer;
  /** One for each file; after them one that says whether nothing more is wanted. */
  readonly #states: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.#states = new Int32Array(shared);
  }

  static of(count: number): FileStates {
    return new FileStates(new SharedArrayBuffer((count + 1) * Int32Array.BYTES_PER_ELEMENT));
  }

  /** False where another thread has it, or had it. */
  take(file: number): boolean {
    return Atomics.compareExchange(this.#states, file, FREE, TAKEN) === FREE;
  }

  note(file: number, mayHold: boolean): void {
    Atomics.store(this.#states, file, mayHold ? LEFT : HOLDS_NOTHING);
    Atomics.notify(this.#states, file);
  }

  /** Takes it, or sleeps while another thread looks through it, for so long at most. */
  mayHold(file: number, patienceMs: number): boolean {
    if (Atomics.compareExchange(this.#states, file, FREE, LEFT) === TAKEN) {
      Atomics.wait(this.#states, file, TAKEN, patienceMs);
    }
    return Atomics.load(this.#states, file) !== HOLDS_NOTHING;
  }

  get isOver(): boolean {
    return Atomics.load(this.#states, this.#states.length - 1) === 1;
  }

  end(): void {
    Atomics.store(this.#states, this.#states.length - 1, 1);
  }
}

/** So much is looked through before threads are started: of a text that is common, enough is found by then. */
const ALONE_BYTES = 16 * 1024 * 1024;
/** If less is left to look through, all is done before a thread has properly begun. */
const LEAST_BYTES = 64 * 1024 * 1024;
/** More threads than these would wait for each other's access to memory. */
const MOST_THREADS = 3;
/** How long to wait for a file that a thread looks through, before it is looked through here. */
const PATIENCE_MS = 1000;

/** A file of lines. */
export interface ScannableFile {
  realPath: string;
  /** Bytes. */
  size: number;
}

/**
 * Looks through files for a text in threads of their own, and tells which files do not hold it: 630 MB on two cores take
 * 163 ms instead of 240. Whatever goes wrong in a thread costs only time: a file that no thread has looked through may hold
 * the text.
 */
export class ScanAhead {
  /** Resolves when there is no thread any more. */
  ended: Promise<unknown> = Promise.resolve();
  readonly #files: readonly ScannableFile[];
  readonly #needle: string;
  #states: FileStates | null = null;
  #passedBytes = 0;
  #bytesLeft: number;

  /** @param files in the order in which they will be asked about */
  constructor(files: readonly ScannableFile[], needle: string) {
    this.#files = files;
    this.#needle = needle;
    this.#bytesLeft = files.reduce((sum, { size }) => sum + size, 0);
  }

  /** False where the text certainly does not stand in the file. */
  mayHold(file: number): boolean {
    if (this.#states === null && this.#passedBytes >= ALONE_BYTES && this.#bytesLeft >= LEAST_BYTES)
      this.start();
    const size = this.#files[file]?.size ?? 0;
    this.#passedBytes += size;
    this.#bytesLeft -= size;
    return this.#states === null || this.#states.mayHold(file, PATIENCE_MS);
  }

  /** Starts the threads, which otherwise wait until it is worth it. */
  start(): void {
    this.#states = FileStates.of(this.#files.length);
    const files = this.#files.map(({ realPath }) => realPath);
    const order: ScanOrder = { files, needle: this.#needle, shared: this.#states.shared };
    const count = Math.min(MOST_THREADS, availableParallelism() - 1);
    this.ended = Promise.all(Array.from({ length: count }, () => startThread(order)));
  }

  /** Ends the threads at their next file. */
  close(): void {
    this.#states?.end();
  }
}

function startThread(order: ScanOrder): Promise<void> {
  const module = moduleAt("src/search/substring/scan-worker");
  // A thread that runs out of memory, or cannot be started, is done without.
  const thread = new Thread({ module, orders: order, fail: () => undefined });
  thread.unref();
  return thread.ended;
}
