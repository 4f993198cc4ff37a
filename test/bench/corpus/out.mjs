import { writeSync } from "node:fs";

const FLUSH_AT = 1 << 20;

/** A reused buffer in which lines are built; it is written to an open file every now and then. */
export class Out {
  bytes = Buffer.allocUnsafe(8 << 20);
  /** The end of what has been written into `bytes`. */
  at = 0;
  #fd = -1;
  #flushed = 0;

  /** @param {number} fd a file open for writing, at its start */
  begin(fd) {
    this.#fd = fd;
    this.#flushed = 0;
    this.at = 0;
  }

  /** How many bytes the file has so far. */
  get total() {
    return this.#flushed + this.at;
  }

  /**
   * Makes room, so that so many bytes can be written into `bytes` directly.
   * @param {number} count
   */
  ensure(count) {
    if (this.at + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.at + count));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }

  /** @param {string} text */
  text(text) {
    this.ensure(3 * text.length);
    this.at += this.bytes.write(text, this.at);
  }

  /** @param {Uint8Array} source */
  copy(source) {
    this.ensure(source.length);
    this.bytes.set(source, this.at);
    this.at += source.length;
  }

  /** Ends a line, and writes the buffer to the file when it has enough. */
  endLine() {
    this.text("\n");
    if (this.at >= FLUSH_AT) this.flush();
  }

  flush() {
    for (let done = 0; done < this.at; ) done += writeSync(this.#fd, this.bytes, done, this.at - done);
    this.#flushed += this.at;
    this.at = 0;
  }
}
