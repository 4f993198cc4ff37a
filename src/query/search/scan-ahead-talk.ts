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
