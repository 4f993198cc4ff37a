/** What the threads are given. */
export interface ScanOrder {
  /** Real paths. */
  files: readonly string[];
  /** What is looked for. */
  needle: string;
  shared: SharedArrayBuffer;
}

const FREE = 0;
/** One of the threads looks through it. */
const TAKEN = 1;
const HOLDS_NOTHING = 2;
/** It may hold the needle, or is looked through by the one who asks. */
const LEFT = 3;

/** What is known of each file, which all threads see. Synchronous, because none has an event loop to wait in. */
export class FileStates {
  readonly shared: SharedArrayBuffer;
  /** The last one says whether nothing more is wanted. */
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
