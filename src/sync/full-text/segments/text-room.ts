import { READ_BEYOND } from "./word-bits.ts";

/** Bytes of UTF-8 that a UTF-16 unit takes at most. */
const UNIT_BYTES = 3;

/** Memory for texts in UTF-8. Some bytes beyond the end of a text can be read as well. */
export class TextRoom {
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Bytes of the longest text there is room for. */
  readonly size: number;
  /** Where the text that was written last ends. */
  end = 0;

  constructor(size: number) {
    const memory = new ArrayBuffer(size + READ_BEYOND);
    this.bytes = Buffer.from(memory);
    this.view = new DataView(memory);
    this.size = size;
  }

  /** A room with a text in it. */
  static of(text: string): TextRoom {
    const room = new TextRoom(UNIT_BYTES * text.length);
    room.write(text);
    return room;
  }

  hasRoomFor(text: string): boolean {
    return UNIT_BYTES * text.length <= this.size;
  }

  /** Writes a text at the beginning. */
  write(text: string): void {
    this.end = this.bytes.write(text);
  }
}
