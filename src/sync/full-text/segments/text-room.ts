import { READ_BEYOND } from "./word-bits.ts";

/** Memory for texts in UTF-8, in which bytes beyond the end of a text can be read, too. */
export class TextRoom {
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Bytes of the longest text there is room for. */
  readonly size: number;

  constructor(size: number) {
    const memory = new ArrayBuffer(size + READ_BEYOND);
    this.bytes = Buffer.from(memory);
    this.view = new DataView(memory);
    this.size = size;
  }

  /** Writes a text at the beginning, and returns where it ends. It must not be longer than there is room for. */
  write(text: string): number {
    return this.bytes.write(text);
  }
}
