import { type Constant, instanceOf } from "../../../web-assembly.ts";

/** What it tells in the midst of cutting: places are those of its memory. */
export interface Host {
  /** A run of letters with some beyond ASCII. The host may give words of it by `put`. */
  foreign(from: number, to: number): void;
  /** An ASCII word with a capital after its first letter that is not remembered. */
  name(from: number, to: number): void;
}

/** What `assembly/index.ts` exports. */
interface Exports {
  memory: { buffer: ArrayBuffer };
  lines: Constant;
  lineBytes: Constant;
  texts: Constant;
  textBytes: Constant;
  word: Constant;
  wordBytes: Constant;
  run: Constant;
  cut(from: number, to: number): void;
  cutEscaped(from: number, to: number): void;
  put(length: number): void;
  isRemembered(from: number, to: number): number;
  forgetWords(): void;
  finishEntry(key: number): number;
  runSize(): number;
  writeRun(): number;
  clear(): void;
}

/** Bytes of UTF-8 that a UTF-16 unit takes at most. */
const UNIT_BYTES = 3;

const NO_ROOM = -1;

const MODULE = new URL("./inverter.wasm", import.meta.url);

/**
 * Which words stand where, in entries that are added one after the other: an inverted index in memory. It is WebAssembly,
 * compiled from the AssemblyScript beside it: to invert 110 MB of texts takes 0.7 s, and took 1.5 s in JavaScript.
 */
export class Inverter {
  /** All of its memory. */
  readonly memory: Buffer;
  /** Lines are read into this part. */
  readonly lines: Buffer;
  /** A word that the host gives is written into this part, from its beginning on; FTS5 cuts off what does not fit. */
  readonly word: Buffer;
  readonly #exports: Exports;
  readonly #texts: number;
  readonly #textBytes: number;

  /** @throws Error where `isInverterThere` says that there is none */
  constructor(host: Host) {
    const exports = exportsFor(host);
    if (exports === null) throw new Error("there is no WebAssembly here");
    this.#exports = exports;
    this.memory = Buffer.from(exports.memory.buffer);
    this.lines = this.memory.subarray(exports.lines.value, exports.lines.value + exports.lineBytes.value);
    this.word = this.memory.subarray(exports.word.value, exports.word.value + exports.wordBytes.value);
    this.#texts = exports.texts.value;
    this.#textBytes = exports.textBytes.value;
    exports.clear();
  }

  /** The words of a stretch of its memory, in UTF-8; what is at either side of it belongs to none of them. */
  cut(from: number, to: number): void {
    this.#exports.cut(from, to);
  }

  /** The same of a text as JSON writes it, with escapes, none of them by number. */
  cutEscaped(from: number, to: number): void {
    this.#exports.cutEscaped(from, to);
  }

  hasRoomFor(text: string): boolean {
    return UNIT_BYTES * text.length <= this.#textBytes;
  }

  /** The words of a text for which there is room. */
  cutText(text: string): void {
    this.cut(this.#texts, this.#texts + this.memory.write(text, this.#texts));
  }

  /** A word of the present entry, which stands in `word`. @param length bytes */
  put(length: number): void {
    this.#exports.put(length);
  }

  /**
   * Whether a word that may hold a compound name was met before; from now on it was, unless it is longer than almost all
   * names. Of two words with the same sum only the last is remembered.
   */
  isRemembered(from: number, to: number): boolean {
    return this.#exports.isRemembered(from, to) === 1;
  }

  /** No word is remembered any more. */
  forgetWords(): void {
    this.#exports.forgetWords();
  }

  /**
   * Writes down what the present entry holds, and begins the next.
   *
   * @param key its difference from the first one of the run
   * @returns how many words; null, and it writes nothing, where there is no room for it
   */
  finishEntry(key: number): number | null {
    const words = this.#exports.finishEntry(key);
    return words === NO_ROOM ? null : words;
  }

  /** Bytes that `writeRun` takes at most. */
  get size(): number {
    return this.#exports.runSize();
  }

  /** Writes all that was added as a run, which `run-reader.ts` describes, and begins anew. Returns where it ends. */
  writeRun(room: Uint8Array): number {
    const bytes = this.#exports.writeRun();
    const from = this.#exports.run.value;
    room.set(this.memory.subarray(from, from + bytes));
    return bytes;
  }

  clear(): void {
    this.#exports.clear();
  }
}

function exportsFor({ foreign, name }: Host): Exports | null {
  return instanceOf<Exports>(MODULE, { host: { foreign, name } });
}

const DEAF: Host = { foreign: () => undefined, name: () => undefined };

/** Whether there can be one. */
export function isInverterThere(): boolean {
  return exportsFor(DEAF) !== null;
}
