/**
 * What a value is: first texts, without escapes, with none but those of one character, and with some by number; last what
 * holds other values.
 */
export const KIND = {
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

/** Values of a line, names of fields among them: the tape takes 12 bytes for each. */
const MOST_VALUES = 64 * 1024;
/** Numbers on the tape for a value: its kind, where it begins and where it ends. */
const CELLS = 3;
/** What has to be free where a value begins: its cells, and those of the name of a field within it. */
const ROOM = 2 * CELLS;

const NO_LINE = Buffer.alloc(0);
const NO_WORDS = new DataView(new ArrayBuffer(0));

/**
 * Where the values of one line of JSON stand, as `scanLine` has found them. Nothing is made of a value before it is asked
 * for.
 *
 * Values are called by their places on the tape, which rise in the order of the line; 0 is the line itself. In an object
 * each value comes after the name of its field, which is a text. The tape is good until it is begun again.
 */
export class LineTape {
  #line: Buffer = NO_LINE;
  #words: DataView = NO_WORDS;
  readonly #cells = new Int32Array(MOST_VALUES * CELLS);
  #end = 0;

  begin(line: Buffer): void {
    this.#line = line;
    this.#words = new DataView(line.buffer, line.byteOffset, line.length);
    this.#end = 0;
  }

  /** Gives the line's bytes back: the tape is good no more. */
  release(): void {
    this.#line = NO_LINE;
    this.#words = NO_WORDS;
  }

  get line(): Buffer {
    return this.#line;
  }

  /** The bytes of the line, to be looked at four at a time. */
  get words(): DataView {
    return this.#words;
  }

  /** Whether there is no room for another value. */
  get isFull(): boolean {
    return this.#end + ROOM > this.#cells.length;
  }

  /** One of `KIND`. */
  kindAt(place: number): number {
    return this.#cells[place] ?? 0;
  }

  isTextAt(place: number): boolean {
    return this.kindAt(place) <= KIND.numbered;
  }

  /** Where a value begins in the line; a text after its quote. */
  startAt(place: number): number {
    return this.#cells[place + 1] ?? 0;
  }

  /** Where a value ends in the line that holds no others; a text before its quote. */
  endAt(place: number): number {
    return this.#cells[place + 2] ?? 0;
  }

  /** The place of what a list or an object holds first; `after` it where it holds nothing. */
  within(place: number): number {
    return place + CELLS;
  }

  /** The place after a value and all that it holds. */
  after(place: number): number {
    return this.kindAt(place) < KIND.list ? place + CELLS : this.endAt(place);
  }

  /** The text, or the name, at a place, as `JSON.parse` reads it. */
  textAt(place: number): string {
    const text = this.#line.toString("utf8", this.startAt(place), this.endAt(place));
    return this.kindAt(place) === KIND.text ? text : String(JSON.parse(`"${text}"`));
  }

  /** Returns the place of the value, the next one. */
  add(kind: number, start: number, end: number): number {
    const cells = this.#cells;
    const place = this.#end;
    cells[place] = kind;
    cells[place + 1] = start;
    cells[place + 2] = end;
    this.#end = place + CELLS;
    return place;
  }

  /** Whatever was added since the list or the object is held by it. */
  close(place: number): void {
    this.#cells[place + 2] = this.#end;
  }
}
