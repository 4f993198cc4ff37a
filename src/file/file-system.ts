import { statfsSync } from "node:fs";
import { unlessUnreadable } from "./unreadable.ts";

/** File systems whose files other machines may change, by the type that `statfs` gives on Linux. */
const REMOTE: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4266872130: "SMB",
  4283649346: "SMB",
  16914839: "9p",
  1702057286: "FUSE",
  1397113167: "AFS",
  12805120: "Ceph",
  2020557398: "VirtualBox",
};
const FAT: readonly number[] = [0x4d44, 0x2011bab0];

/**
 * How coarse the times of local file systems are, in ms: a file written less than that before it was read may change
 * again while its times stay the same.
 */
export const LOCAL_GRANULARITY_MS = 20;
/**
 * The same for FAT, which counts in steps of two seconds, and for network file systems, which use the server's clock
 * and cache their answers.
 */
export const COARSE_GRANULARITY_MS = 2000;

/** The name of a file system whose files change without this machine being notified; null for all others. */
export function remoteKind(type: number): string | null {
  return REMOTE[type >>> 0] ?? null;
}

/** How coarse the times of a file system are, in ms, by its type. */
export function granularityOf(type: number): number {
  const isCoarse = remoteKind(type) !== null || FAT.includes(type >>> 0);
  return isCoarse ? COARSE_GRANULARITY_MS : LOCAL_GRANULARITY_MS;
}

/** How coarse the times of files are, asked once for each device. */
export class Granularities {
  readonly #known = new Map<number, number>();
  readonly #typeOf: (path: string) => number;

  constructor(typeOf: (path: string) => number = (path) => statfsSync(path).type) {
    this.#typeOf = typeOf;
  }

  /** How coarse times are, in ms, for a file on `device`. */
  of(path: string, device: number): number {
    const known = this.#known.get(device);
    if (known !== undefined) return known;
    const granularity = this.#ask(path);
    this.#known.set(device, granularity);
    return granularity;
  }

  /** A file system whose type cannot be read counts as coarse. */
  #ask(path: string): number {
    return unlessUnreadable(() => granularityOf(this.#typeOf(path))) ?? COARSE_GRANULARITY_MS;
  }
}
