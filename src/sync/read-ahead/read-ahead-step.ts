import { EMPTY_FINGERPRINT, extendFingerprint, type Fingerprint } from "../../file/fingerprint.ts";
import type { Line, LineReader, Step } from "../../file/lines.ts";
import { type FileStat, statOpenFile } from "../../file/stat.ts";
import { digestOf, type EntryDigest } from "../../format/digest.ts";
import { type ParsedHeader, parseLine } from "../../format/parse.ts";
import { skimLine } from "../../format/skim.ts";
import { NOWHERE, upgradeEntry, versionOf } from "../../format/upgrade.ts";
import type { PlacedDigest } from "./digest-columns.ts";
import type { DigestPacker } from "./digest-packer.ts";

/** A step of a new file, with all that is needed to prove that a read in the file's turn would give the same. */
export interface ReadStep {
  /** The file as it was before it was read. */
  stat: FileStat;
  /** When that was, in Unix ms. */
  readAt: number;
  /** With the first step: the fields of the header from which the session's row is made. */
  header: ParsedHeader | null;
  /** Covers what comes before the step; `after` covers that and the step. */
  before: Fingerprint;
  after: Fingerprint;
  entryCount: number;
  atEnd: boolean;
}

/** The same with the digests of its entries. */
export interface AheadStep extends ReadStep {
  entries: readonly PlacedDigest[];
}

/** Gives the steps that were read before their turn. */
export interface StepsAhead {
  /** The step of a file that begins at byte `from`, if it was read ahead. Each is given once. */
  take(realPath: string, from: number): AheadStep | null;
}

/** What the index keeps of a header, beside its id. */
const HEADER_FIELDS = ["version", "timestamp", "cwd", "parentSession"] as const;

/**
 * Reads a new file step by step, as far as it is plain: a header of version 2 or later, then nothing but entries, each a
 * whole line. At anything else, even a blank line, it ends and leaves the rest to the thread that writes rows.
 */
export class AheadFile {
  readonly #fd: number;
  readonly #reader: LineReader;
  readonly #stat: FileStat;
  readonly #readAt: number;
  #version: number | null = null;
  #fingerprint = EMPTY_FINGERPRINT;

  constructor(fd: number, reader: LineReader) {
    this.#fd = fd;
    this.#reader = reader;
    this.#readAt = Date.now();
    this.#stat = statOpenFile(fd);
  }

  /** Packs the digests of the next step. Null, and nothing packed, when it is not plain. @throws the file system's errors */
  next(packer: DigestPacker): ReadStep | null {
    const before = this.#fingerprint;
    const step = this.#reader.readShortStep(this.#fd, before.length, this.#stat.size);
    if (step === null || step.bytes === null || step.lines.length === 0) return null;
    const header = this.#version === null ? headerOf(step.lines.shift()) : null;
    this.#version ??= header && versionOf(header);
    if (this.#version === null || this.#version < 2) return null;
    // First, because it may throw: digests that were packed, but belong to no step, would be taken for those of the next.
    const after = this.#extend(step, step.bytes);
    if (!packLines(packer, step.lines, this.#version)) return null;
    const [stat, readAt, entryCount] = [this.#stat, this.#readAt, step.lines.length];
    return { stat, readAt, header, before, after, entryCount, atEnd: step.atEnd };
  }

  #extend(step: Step, bytes: Buffer): Fingerprint {
    const { length } = this.#fingerprint;
    const added = bytes.subarray(0, step.end - length);
    this.#fingerprint = extendFingerprint(this.#fd, this.#fingerprint, step.end, added);
    return this.#fingerprint;
  }
}

function headerOf(line: Line | undefined): ParsedHeader | null {
  if (!line?.complete || line.bytes === null) return null;
  const parsed = parseLine(line.bytes);
  if (parsed.kind !== "header") return null;
  const header: ParsedHeader = { id: parsed.header.id };
  for (const name of HEADER_FIELDS) {
    const value = parsed.header[name];
    if (typeof value === "object" && value !== null) return null;
    if (value !== undefined) header[name] = value;
  }
  return header;
}

function packLines(packer: DigestPacker, lines: readonly Line[], version: number): boolean {
  const start = packer.place;
  for (const line of lines) {
    const digest = plainDigestOf(line, version);
    if (digest === null) {
      packer.goBackTo(start);
      return false;
    }
    packer.add({ digest, offset: line.offset, length: line.length });
  }
  return true;
}

function plainDigestOf({ complete, bytes }: Line, version: number): EntryDigest | null {
  if (!complete || bytes === null) return null;
  const parsed = skimLine(bytes);
  // From version 2 on entries have ids and parents of their own.
  return parsed.kind === "entry" ? digestOf(upgradeEntry(parsed.entry, version, NOWHERE)) : null;
}
