import { type Constant, instanceOf } from "../../runtime/wasm.ts";

/** What `assembly/index.ts` exports. */
interface Exports {
  memory: { buffer: ArrayBuffer };
  window: Constant;
  windowBytes: Constant;
  cells: Constant;
  cellCount: Constant;
  /** 1 for a line that was understood, the beginning of which is in the window. */
  scan(length: number): number;
}

const MODULE = new URL("./scanner.wasm", import.meta.url);
const NO_LINE: Buffer = Buffer.alloc(0);
const NO_WORDS = new DataView(new ArrayBuffer(0));
const NO_CELLS = new Int32Array(0);

/** Finds where the values of a line of JSON stand. It is WebAssembly, compiled from the AssemblyScript beside it. */
export class TapeScanner {
  /** Lines are looked at through it: of a longer one it holds a part. */
  readonly window: Buffer = NO_LINE;
  /** The bytes of the window, to be looked at four at a time. */
  readonly words: DataView = NO_WORDS;
  /** Three numbers for each value: its kind, where it begins, and where it ends. */
  readonly cells: Int32Array = NO_CELLS;
  readonly #exports: Exports | null;
  #line = NO_LINE;

  constructor() {
    const copy = (offset: number, to: number, bytes: number): void => this.#copy(offset, to, bytes);
    this.#exports = instanceOf<Exports>(MODULE, { host: { copy } });
    if (this.#exports === null) return;
    const { memory, window, windowBytes, cells, cellCount } = this.#exports;
    this.window = Buffer.from(memory.buffer, window.value, windowBytes.value);
    this.words = new DataView(memory.buffer, window.value, windowBytes.value);
    this.cells = new Int32Array(memory.buffer, cells.value, cellCount.value);
  }

  /** Whether the line was understood: then its values are in the cells. No line is where there is no WebAssembly. */
  scan(line: Buffer): boolean {
    if (this.#exports === null) return false;
    if (line.length > this.window.length) return this.#scanLong(line, this.#exports);
    this.window.set(line);
    return this.#exports.scan(line.length) === 1;
  }

  #scanLong(line: Buffer, { scan }: Exports): boolean {
    this.#line = line;
    this.#copy(0, this.window.byteOffset, this.window.length);
    const isUnderstood = scan(line.length) === 1;
    this.#line = NO_LINE;
    return isUnderstood;
  }

  /** Bytes of a long line into the window. @param to where in the memory */
  #copy(offset: number, to: number, bytes: number): void {
    this.window.set(this.#line.subarray(offset, offset + bytes), to - this.window.byteOffset);
  }
}
