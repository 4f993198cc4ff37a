import { type Constant, instanceOf } from "../../runtime/wasm.ts";
import { LONGEST_TEXT } from "../content.ts";

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

/**
 * What a value is. First texts: without escapes, with escapes of one character only (`\n`), and with some by number
 * (`\u00e9`). Last those that hold other values.
 */
export const ValueType = {
  text: 1,
  escaped: 2,
  numbered: 3,
  number: 4,
  true: 5,
  false: 6,
  null: 7,
  list: 8,
  object: 9,
} as const;

/** Numbers that the tape has for a value: its kind, where it begins and where it ends. */
const CELLS = 3;

/**
 * Where the values of one line of JSON stand. A value is decoded only when it is asked for.
 *
 * A value is referred to by its place on the tape. Places rise in the order of the line; 0 is the line itself. In an
 * object each value comes after the name of its field, which is a text. The tape is valid until the next `scan`.
 */
export class Tape {
  /** Made when it is first needed. */
  #scanner: TapeScanner | undefined;
  #line: Buffer = NO_LINE;
  #words: DataView = NO_WORDS;
  #cells: Int32Array = NO_CELLS;

  /**
   * Goes through a line, looking at every byte, and notes where its values stand. That takes a seventh of the time of
   * `JSON.parse` (`node test/bench/extract-lines.mjs`), and leaves nothing to be collected. False for a line that is no
   * object, or not understood; and for every line where there is no WebAssembly.
   *
   * What is understood is JSON, and means what `JSON.parse` reads in it. Not all JSON is understood: white space only
   * where it is one space after a comma or a colon, as programs other than pi write it; values only as many as the tape
   * has room for, and only to a certain depth. `assembly/` has the limits.
   */
  scan(line: Buffer): boolean {
    this.#scanner ??= new TapeScanner();
    const { window, words, cells } = this.#scanner;
    if (!this.#scanner.scan(line)) return false;
    const fits = line.length <= window.length;
    this.#line = fits ? window : line;
    this.#words = fits ? words : new DataView(line.buffer, line.byteOffset, line.length);
    this.#cells = cells;
    return true;
  }

  /** Lets go of the line's bytes: the tape is no longer valid. */
  release(): void {
    this.#line = NO_LINE;
    this.#words = NO_WORDS;
  }

  /** Begins with the bytes of the line. */
  get line(): Buffer {
    return this.#line;
  }

  /** The bytes of `line`, to be looked at four at a time. */
  get words(): DataView {
    return this.#words;
  }

  /** One of `ValueType`. */
  typeAt(place: number): number {
    return this.#cells[place] ?? 0;
  }

  isTextAt(place: number): boolean {
    return this.typeAt(place) <= ValueType.numbered;
  }

  /** Where a value begins in the line; for a text, after its opening quote. */
  startAt(place: number): number {
    return this.#cells[place + 1] ?? 0;
  }

  /** Where a value that holds no others ends in the line; for a text, before its closing quote. */
  endAt(place: number): number {
    return this.#cells[place + 2] ?? 0;
  }

  /** The place of the first value within a list or an object; equal to `after` for an empty one. */
  within(place: number): number {
    return place + CELLS;
  }

  /** The place after a value and all that it holds. */
  after(place: number): number {
    return this.typeAt(place) < ValueType.list ? place + CELLS : this.endAt(place);
  }

  /** The text, or the name, at a place, as `JSON.parse` reads it; or a beginning, up to where it may be cut. */
  textAt(place: number, end: number = this.endAt(place)): string {
    const start = this.startAt(place);
    if (this.typeAt(place) === ValueType.text) return this.#line.toString("utf8", start, end);
    // The quotes around a whole text are read with it: putting others there takes another copy.
    const quoted =
      end === this.endAt(place)
        ? this.#line.toString("utf8", start - 1, end + 1)
        : `"${this.#line.toString("utf8", start, end)}"`;
    return String(JSON.parse(quoted));
  }
}

const [BACKSLASH, SMALL_U] = [0x5c, 0x75];
/** A backslash, `u` and four digits. */
const NUMBERED_BYTES = 6;

/** The text at a place; of one that is longer than `most` units, a beginning that is longer, too. */
export function longTextAt(tape: Tape, place: number, most: number = LONGEST_TEXT): string {
  const [start, end] = [tape.startAt(place), tape.endAt(place)];
  // A text has at least as many bytes as units. Two more than `most`: the character that it would cut in two is left whole.
  return end - start <= most
    ? tape.textAt(place)
    : tape.textAt(place, afterUnits(tape.line, start, end, most + 2));
}

/**
 * Where at least so many UTF-16 units of a text in JSON end: before a character, and not within an escape. A character is
 * counted once, even where it takes two units: of invalid bytes each takes one at most.
 */
function afterUnits(line: Buffer, start: number, end: number, units: number): number {
  let left = units;
  for (let at = start; at < end; ) {
    const byte = line[at] ?? 0;
    const goesOn = byte >= 0x80 && byte < 0xc0;
    if (left === 0 && !goesOn) return at;
    if (!goesOn) left--;
    at += byte === BACKSLASH ? escapeBytes(line[at + 1]) : 1;
  }
  return end;
}

/** @param kind the byte after the backslash */
function escapeBytes(kind: number | undefined): number {
  return kind === SMALL_U ? NUMBERED_BYTES : 2;
}
