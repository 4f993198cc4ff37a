/**
 * What a value is. First texts: without escapes, with escapes of one character only (`\n`), and with some by number
 * (`\u00e9`). Last those that hold other values.
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

/** How many values a line may have, counting names of fields: the tape takes 12 bytes for each. */
const MOST_VALUES = 64 * 1024;
/** Numbers that the tape has for a value: its kind, where it begins and where it ends. */
const CELLS = 3;
/** How many cells have to be free where a value begins: its own, and those of the name of a field within it. */
const ROOM = 2 * CELLS;

const NO_LINE = Buffer.alloc(0);
const NO_WORDS = new DataView(new ArrayBuffer(0));

/**
 * Where the values of one line of JSON stand, as `scanLine` has found them. A value is decoded only when it is asked
 * for.
 *
 * A value is referred to by its place on the tape. Places rise in the order of the line; 0 is the line itself. In an
 * object each value comes after the name of its field, which is a text. The tape is valid until the next `begin`.
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

  /** Lets go of the line's bytes: the tape is no longer valid. */
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
    return this.kindAt(place) < KIND.list ? place + CELLS : this.endAt(place);
  }

  /** The text, or the name, at a place, as `JSON.parse` reads it. */
  textAt(place: number): string {
    const text = this.#line.toString("utf8", this.startAt(place), this.endAt(place));
    return this.kindAt(place) === KIND.text ? text : String(JSON.parse(`"${text}"`));
  }

  /** Adds a value, and returns its place. */
  add(kind: number, start: number, end: number): number {
    const cells = this.#cells;
    const place = this.#end;
    cells[place] = kind;
    cells[place + 1] = start;
    cells[place + 2] = end;
    this.#end = place + CELLS;
    return place;
  }

  /** Ends a list or an object: whatever was added since lies within it. */
  close(place: number): void {
    this.#cells[place + 2] = this.#end;
  }
}
