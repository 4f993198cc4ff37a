import { Writable } from "node:stream";

/** What a command writes, as one text: where a program asks instead of a terminal. */
export class Collected extends Writable {
  readonly #pieces: Buffer[] = [];

  override _write(piece: Buffer | string, _encoding: string, done: () => void): void {
    this.#pieces.push(Buffer.from(piece));
    done();
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString();
  }
}
