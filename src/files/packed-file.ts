import { closeSync, fstatSync, openSync } from "node:fs";
import {
  type Codecs,
  codecIn,
  codecOf,
  type PackedTable,
  readPlain,
  readTable,
  tableBytes,
} from "./packed-format.ts";
import type { Codec } from "./session-path.ts";

/** An error as the file system gives it, so that a file that cannot be unpacked is one that cannot be read. */
class PackedFileError extends Error {
  readonly code: string;

  /** @param code `EBADMSG`: the file is damaged; `ENOTSUP`: this Node has no zstd */
  constructor(code: "EBADMSG" | "ENOTSUP", path: string) {
    const why =
      code === "EBADMSG" ? "the packed file is damaged" : "this Node has no zstd: 22.15 has, or 23.8";
    super(`${code}: ${why}, read '${path}'`);
    this.code = code;
  }
}

/** Blocks that were unpacked: entries of a session are read one by one. */
export class Blocks {
  readonly #blocks = new Map<string, Buffer>();
  #bytes = 0;

  get(name: string): Buffer | undefined {
    return this.#blocks.get(name);
  }

  /** The first to come are the first to go. */
  keep(name: string, bytes: Buffer): void {
    this.#blocks.set(name, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#blocks) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#blocks.delete(oldest);
      this.#bytes -= length;
    }
  }
}

const KEPT_BYTES = 4 * 1024 * 1024;
const KEPT = new Blocks();

/** A session file in the archive, open for reading: its places are those of the session file. */
export class PackedFile {
  readonly path: string;
  readonly table: PackedTable;
  readonly fd: number;
  readonly #codec: Codec;
  readonly #codecs: Codecs;
  /** The blocks that were unpacked last, by `#identity`, which tells it from all other packed files, and their place. */
  readonly #blocks: Blocks;
  readonly #identity: string;

  /** @throws the file system's errors, and those of a file that is damaged or cannot be unpacked here */
  static open(path: string, flags: number, blocks: Blocks = KEPT): PackedFile {
    const fd = openSync(path, flags);
    try {
      return new PackedFile(path, fd, blocks);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  private constructor(path: string, fd: number, blocks: Blocks) {
    const { dev, ino, size, ctimeMs } = fstatSync(fd);
    const codec = codecIn(fd);
    const table = codec && readTable(fd, size, codec);
    if (codec === null || table === null) throw new PackedFileError("EBADMSG", path);
    const codecs = codecOf(codec);
    if (codecs === null) throw new PackedFileError("ENOTSUP", path);
    this.path = path;
    this.fd = fd;
    this.table = table;
    this.#codec = codec;
    this.#codecs = codecs;
    this.#blocks = blocks;
    this.#identity = `${dev}:${ino}:${size}:${ctimeMs}`;
  }

  /** Bytes of the session file. */
  get size(): number {
    return this.table.size;
  }

  /** Reads as `readSync`, but no less than is asked for, unless the file ends. @throws an error where it is damaged */
  read(into: Buffer, at: number, length: number, position: number): number {
    const end = Math.min(position + length, this.size);
    let done = 0;
    while (position + done < end) {
      const from = position + done;
      const place = Math.floor(from / this.table.blockBytes);
      const start = from - place * this.table.blockBytes;
      const block = this.#block(place);
      done += block.copy(into, at + done, start, start + end - from);
    }
    return done;
  }

  /** Whether nothing comes after the blocks but the table as it was written: tools that unpack it read that, too. */
  get endsAsWritten(): boolean {
    const { ends } = this.table;
    const lengths = Array.from(ends, (end, place) => end - (ends[place - 1] ?? 0));
    const last = tableBytes(this.#codec, this.table, lengths);
    return readPlain(this.fd, ends.at(-1) ?? 0, last.length + 1).equals(last);
  }

  close(): void {
    closeSync(this.fd);
  }

  #block(place: number): Buffer {
    const name = `${this.#identity}:${place}`;
    const known = this.#blocks.get(name);
    if (known !== undefined) return known;
    const { ends, blockBytes } = this.table;
    const from = ends[place - 1] ?? 0;
    const bytes = this.#unpack(readPlain(this.fd, from, (ends[place] ?? 0) - from));
    if (bytes.length !== Math.min(blockBytes, this.size - place * blockBytes)) throw this.#damaged();
    this.#blocks.keep(name, bytes);
    return bytes;
  }

  #unpack(packed: Buffer): Buffer {
    try {
      return this.#codecs.unpack(packed);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw this.#damaged();
    }
  }

  #damaged(): PackedFileError {
    return new PackedFileError("EBADMSG", this.path);
  }
}

/** A file that is open for reading. */
export type Opened = number | PackedFile;
