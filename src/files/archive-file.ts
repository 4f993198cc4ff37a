import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, SessionDbError } from "../errors.ts";
import { makeFolder } from "./folder.ts";
import { useFile } from "./open-file.ts";
import { Blocks, PackedFile } from "./packed-file.ts";
import { BLOCK_BYTES, codecOf, MOST_BLOCKS, tableBytes } from "./packed-format.ts";
import { copyBytes, flushFolder, isSameContent, readBlocks, setTime, writeFlushed } from "./safe-copy.ts";
import { type Codec, PART } from "./session-path.ts";
import { sameStat, toFileStat } from "./stat.ts";
import { writeFully } from "./write-file.ts";

/*
 * One session file on its way into the archive, and back. At every moment one whole copy of it lies where it is found, and
 * what is taken away was compared, byte for byte, with what has reached the disk elsewhere. Whoever calls holds the archive's
 * lock, so that a left-over of these names is nobody's.
 */

const READING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Bytes before, and packed. */
export interface Moved {
  bytes: number;
  packedBytes: number;
}

/** How packed files are made on this Node. */
export function usualCodec(): Codec {
  return codecOf("zst") === null ? "gz" : "zst";
}

/**
 * Packs a session file, and removes it once the packed file has been read back, compared and flushed to the disk.
 *
 * @param packed where it is packed; what lies there already is the same file, or the beginning of it
 * @throws SessionDbError `busy` where it changes meanwhile, `io` where something else lies there; the file system's errors.
 *   The session file is as it was then.
 */
export function packAway(original: string, packed: string): Moved {
  const fd = openSync(original, READING);
  try {
    const before = fstatSync(fd);
    assertIsAlone(original, before);
    makeFolder(dirname(packed), 0o700);
    if (!isPackedAt(packed, fd, before.size)) packTo(packed, { original, fd, before });
    // Its inode is open, and so nobody else's.
    if (!sameStat(toFileStat(lstatSync(original)), toFileStat(before))) throw changedMeanwhile(original);
    rmSync(original);
    flushFolder(dirname(original));
    if (!hasContentOf(fstatSync(fd), before)) putBack(original, fd);
    return { bytes: before.size, packedBytes: lstatSync(packed).size };
  } finally {
    closeSync(fd);
  }
}

function assertIsAlone(path: string, stats: Stats): void {
  if (stats.isFile() && stats.nlink === 1) return;
  throw new SessionDbError("io", `${path} is not a file of one name`, {
    hint: "Links, and files with several names, are not archived.",
  });
}

/** Whether all of it is packed there already. @throws SessionDbError `io` where another file is */
function isPackedAt(packed: string, fd: number, size: number): boolean {
  if (lstatSync(packed, { throwIfNoEntry: false }) === undefined) return false;
  return usePacked(packed, (known) => {
    if (known.size <= size && isSameContent(known, fd, known.size)) return known.size === size;
    throw new SessionDbError("io", `another session is archived at ${packed}`, {
      hint: "Nothing was moved. Move it away, or unpack it to another folder with zcat or zstd -dc.",
    });
  });
}

interface Packing {
  original: string;
  fd: number;
  before: Stats;
}

function packTo(packed: string, packing: Packing): void {
  const part = packed + PART;
  try {
    writeFlushed(part, (to) => pack(packing, to, packed.endsWith(".zst") ? "zst" : "gz"));
    const { original, fd, before } = packing;
    const isSame = usePacked(
      part,
      (written) => written.size === before.size && isSameContent(written, fd, before.size),
    );
    if (!isSame) throw changedMeanwhile(original);
    renameSync(part, packed);
    flushFolder(dirname(packed));
  } finally {
    rmSync(part, { force: true });
  }
}

function pack({ fd, before: { size, mtimeMs, mode } }: Packing, to: number, codec: Codec): void {
  const codecs = codecOf(codec);
  if (codecs === null) throw new SessionDbError("io", "this Node has no zstd", { hint: "Node 22.15 has." });
  const blockBytes = Math.max(1, Math.ceil(size / MOST_BLOCKS / BLOCK_BYTES)) * BLOCK_BYTES;
  const lengths: number[] = [];
  const packBlock = (bytes: Buffer): void => {
    const block = codecs.pack(bytes);
    lengths.push(block.length);
    writeFully(to, block);
  };
  const sha256 = readBlocks(fd, size, packBlock, blockBytes);
  writeFully(to, tableBytes(codec, { sha256, size, mtimeMs, mode: mode & 0o777, blockBytes }, lengths));
  setTime(to, mtimeMs);
}

/** Of a file that was written to in the moment before it was removed, which is still open: it comes back. */
function putBack(original: string, fd: number): void {
  const { size, mode } = fstatSync(fd);
  const part = partOf(original);
  writeFlushed(part, (to) => {
    copyBytes(fd, size, to);
    fchmodSync(to, mode & 0o777);
  });
  publish(part, original);
  throw changedMeanwhile(original);
}

/**
 * Puts a session file back where it was, byte for byte, and removes the packed one. Where it lies there already, or has
 * been gone on with there, only the packed one is removed.
 *
 * @throws SessionDbError `io` where another file lies there, or the packed one is damaged; the file system's errors. The
 *   packed file is as it was then.
 */
export function unpackTo(original: string, packed: string): Moved {
  return usePacked(packed, (from) => {
    const moved = { bytes: from.size, packedBytes: lstatSync(packed).size };
    rmSync(partOf(original), { force: true });
    if (lstatSync(original, { throwIfNoEntry: false }) === undefined) unpack(original, from);
    else assertBeginsWith(original, from);
    rmSync(packed);
    flushFolder(dirname(packed));
    return moved;
  });
}

function unpack(original: string, from: PackedFile): void {
  assertWhole(from);
  makeFolder(dirname(original));
  const part = partOf(original);
  writeFlushed(part, (to) => {
    copyBytes(from, from.size, to);
    fchmodSync(to, from.table.mode);
    setTime(to, from.table.mtimeMs);
  });
  const isSame = useFile(
    part,
    (fd) => fstatSync(fd).size === from.size && isSameContent(fd, from, from.size),
  );
  if (!isSame) throw damaged(from.path);
  publish(part, original);
}

/** Whether what was packed is still what it was. @throws the error of a file that is damaged, or cannot be read */
export function verifyPacked(packed: string): Moved {
  return usePacked(packed, (from) => {
    assertWhole(from);
    return { bytes: from.size, packedBytes: lstatSync(packed).size };
  });
}

function assertWhole(from: PackedFile): void {
  const sum = readBlocks(from, from.size, () => undefined);
  if (!sum.equals(from.table.sha256) || !from.endsAsWritten) throw damaged(from.path);
}

function damaged(path: string): SessionDbError {
  return new SessionDbError("io", `the packed file ${path} does not hold what was packed`, {
    hint: "It was left as it is. What can be read of it is shown by list, show and export.",
  });
}

/** Whether a file begins with all of the session that is packed in another. @throws SessionDbError where that is damaged */
export function beginsWithPacked(original: string, packed: string): boolean {
  return usePacked(packed, (from) => beginsWith(original, from));
}

function beginsWith(original: string, from: PackedFile): boolean {
  return useFile(original, (fd) => fstatSync(fd).size >= from.size && isSameContent(fd, from, from.size));
}

function assertBeginsWith(original: string, from: PackedFile): void {
  if (beginsWith(original, from)) return;
  throw new SessionDbError("io", `another file lies at ${original} by now`, {
    hint: "Nothing was changed. Move it away, and restore the session again.",
  });
}

function usePacked<T>(path: string, use: (file: PackedFile) => T): T {
  // Blocks of its own: what is compared is what the disk has.
  const file = PackedFile.open(path, READING, new Blocks());
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** Gives a file its name, unless something has it: a rename would take the other's place. */
function publish(part: string, original: string): void {
  try {
    linkSync(part, original);
  } catch (error) {
    // A file system without hard links.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
    renameSync(part, original);
  }
  rmSync(part, { force: true });
  flushFolder(dirname(original));
}

function changedMeanwhile(path: string): SessionDbError {
  return new SessionDbError("busy", `${path} was written to while it was archived`, {
    hint: "It stays where it is: is it open in pi?",
  });
}

function hasContentOf(now: Stats, before: Stats): boolean {
  return now.size === before.size && now.mtimeMs === before.mtimeMs;
}

/** Where a session file is written before it has its name: neither pi nor a walk takes it for one. */
export function partOf(original: string): string {
  return join(dirname(original), `.sessiondb-${basename(original)}${PART}`);
}
