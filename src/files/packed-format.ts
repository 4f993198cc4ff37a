import { readSync } from "node:fs";
import type { Codec } from "./session-path.ts";

/*
 * How the archive keeps a session file: compressed in blocks, each a gzip member or zstd frame of its own, so that `zcat` and
 * `zstd -dc` give the file back without this program, and a part of it can be read without the rest. The last member or
 * frame holds no bytes of the file, but the table of blocks: in gzip's extra field, or in a frame that zstd skips. The
 * table ends with its length and `MAGIC`, so that it is found from the end.
 *
 *   1 byte version · 32 SHA-256 of the file · 8 its size · 8 its mtime in ms · 4 its mode · 4 bytes of a block ·
 *   4 for each block, its packed length · 4 CRC-32 of all that · 4 the table's own length · 8 MAGIC      (little-endian)
 */

/** What a packed file holds. */
export interface PackedTable {
  sha256: Buffer;
  /** Bytes of the session file. */
  size: number;
  /** Unix ms. */
  mtimeMs: number;
  mode: number;
  /** Bytes in each block but the last. */
  blockBytes: number;
  /** Where each block ends in the packed file. */
  ends: Float64Array;
}

/** Bytes are read back a block at a time: 256 KB is unpacked in 1 ms, and packs as well as much larger blocks. */
export const BLOCK_BYTES = 256 * 1024;
/** gzip's extra field holds 65,535 bytes: of longer files than 4 GB the blocks are longer. */
export const MOST_BLOCKS = 16_000;

const VERSION = 1;
const MAGIC = Buffer.from("PISESSDB");
const HEAD_BYTES = 1 + 32 + 8 + 8 + 4 + 4;
const FOOT_BYTES = 4 + 4 + MAGIC.length;
/** How much is read to find the table: that of all files up to 250 MB. */
const TAIL_BYTES = 4096;

/** gzip: magic, deflate, "has an extra field", no time, no flags, unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255]);
/** No bytes, their CRC-32 and their number. */
const GZIP_END = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const GZIP_FIELD = Buffer.from("SD");
const ZSTD_SKIPPABLE = 0x184d2a5d;
/** The first bytes of what zstd packs. */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Unpacks, or packs, one block. */
type Pack = (bytes: Buffer) => Buffer;

export interface Codecs {
  pack: Pack;
  unpack: Pack;
}

/** The part of Node's zlib that it has from 22.15 on. */
interface Zstd {
  zstdCompressSync?: (bytes: Buffer, options: { params: Record<number, number> }) => Buffer;
  zstdDecompressSync?: (bytes: Buffer) => Buffer;
}

/** zstd's numbers for the level and for a checksum of each frame. */
const ZSTD_PARAMS = { 100: 9, 201: 1 };
const GZIP_LEVEL = 9;

/** Null where this Node has no such codec. zlib is loaded for those only who have an archive. */
export function codecOf(codec: Codec): Codecs | null {
  const zlib: typeof import("node:zlib") & Zstd = process.getBuiltinModule("node:zlib");
  if (codec === "gz") {
    return {
      pack: (bytes) => zlib.gzipSync(bytes, { level: GZIP_LEVEL, chunkSize: BLOCK_BYTES }),
      unpack: (bytes) => zlib.gunzipSync(bytes, { chunkSize: BLOCK_BYTES }),
    };
  }
  const { zstdCompressSync, zstdDecompressSync } = zlib;
  if (zstdCompressSync === undefined || zstdDecompressSync === undefined) return null;
  return {
    pack: (bytes) => zstdCompressSync(bytes, { params: ZSTD_PARAMS }),
    unpack: (bytes) => zstdDecompressSync(bytes),
  };
}

function crcOf(bytes: Buffer): number {
  return process.getBuiltinModule("node:zlib").crc32(bytes);
}

/** The last member or frame, with the table. */
export function tableBytes(
  codec: Codec,
  table: Omit<PackedTable, "ends">,
  lengths: readonly number[],
): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES + 4 * lengths.length + FOOT_BYTES);
  bytes[0] = VERSION;
  table.sha256.copy(bytes, 1);
  bytes.writeDoubleLE(table.size, 33);
  bytes.writeDoubleLE(table.mtimeMs, 41);
  bytes.writeUInt32LE(table.mode, 49);
  bytes.writeUInt32LE(table.blockBytes, 53);
  for (const [place, length] of lengths.entries()) bytes.writeUInt32LE(length, HEAD_BYTES + 4 * place);
  const foot = bytes.length - FOOT_BYTES;
  bytes.writeUInt32LE(crcOf(bytes.subarray(0, foot)), foot);
  bytes.writeUInt32LE(bytes.length, foot + 4);
  MAGIC.copy(bytes, bytes.length - MAGIC.length);
  if (codec === "gz") {
    const lengthsOf = Buffer.alloc(6);
    lengthsOf.writeUInt16LE(bytes.length + 4, 0);
    GZIP_FIELD.copy(lengthsOf, 2);
    lengthsOf.writeUInt16LE(bytes.length, 4);
    return Buffer.concat([GZIP_HEAD, lengthsOf, bytes, GZIP_END]);
  }
  const head = Buffer.alloc(8);
  head.writeUInt32LE(ZSTD_SKIPPABLE, 0);
  head.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

/** By the first bytes, whatever the file is called; null for what no packed file begins with. */
export function codecIn(fd: number): Codec | null {
  const head = readPlain(fd, 0, ZSTD_MAGIC.length);
  if (head.length < ZSTD_MAGIC.length) return null;
  if (head.equals(ZSTD_MAGIC) || head.readUInt32LE(0) === ZSTD_SKIPPABLE) return "zst";
  return head.subarray(0, 2).equals(GZIP_HEAD.subarray(0, 2)) ? "gz" : null;
}

/** Null where the file does not end as packed files do. */
export function readTable(fd: number, size: number, codec: Codec): PackedTable | null {
  const after = codec === "gz" ? GZIP_END.length : 0;
  const end = size - after;
  const tail = readPlain(fd, Math.max(0, end - TAIL_BYTES), Math.min(TAIL_BYTES, end));
  if (tail.length < HEAD_BYTES + FOOT_BYTES || !tail.subarray(-MAGIC.length).equals(MAGIC)) return null;
  const length = tail.readUInt32LE(tail.length - FOOT_BYTES + 4);
  if (length > end || length < HEAD_BYTES + FOOT_BYTES) return null;
  const bytes = length <= tail.length ? tail.subarray(-length) : readPlain(fd, end - length, length);
  const count = (length - HEAD_BYTES - FOOT_BYTES) / 4;
  const foot = length - FOOT_BYTES;
  if (bytes[0] !== VERSION || crcOf(bytes.subarray(0, foot)) !== bytes.readUInt32LE(foot)) return null;
  const table = {
    sha256: Buffer.from(bytes.subarray(1, 33)),
    size: bytes.readDoubleLE(33),
    mtimeMs: bytes.readDoubleLE(41),
    mode: bytes.readUInt32LE(49),
    blockBytes: bytes.readUInt32LE(53),
    ends: new Float64Array(count),
  };
  let at = 0;
  for (let place = 0; place < count; place++) {
    at += bytes.readUInt32LE(HEAD_BYTES + 4 * place);
    table.ends[place] = at;
  }
  const isWhole = Math.ceil(table.size / table.blockBytes) === count && at <= end - length;
  return isWhole ? table : null;
}

/** Bytes of the packed file itself; fewer where it ends sooner. */
export function readPlain(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length));
  let done = 0;
  while (done < bytes.length) {
    const read = readSync(fd, bytes, done, bytes.length - done, from + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}
