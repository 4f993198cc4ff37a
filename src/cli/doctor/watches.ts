import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isExcludedBy } from "../../api/exclusions.ts";
import type { Config } from "../../config/config.ts";
import { codeOf, unlessUnreadable } from "../../errors.ts";
import {
  type IsExcluded,
  isSessionFileName,
  isUnfinishedCopy,
  LINK_DEPTH,
  whyNotFollowed,
} from "../../files/session-path.ts";
import type { Finding } from "../../reports/finding.ts";
import { formatCount } from "../../text/numbers.ts";

/** Reads a number of the kernel; null where there is none. */
export type ReadLimit = (name: "max_user_watches" | "max_user_instances") => number | null;

/** A session of gigabytes is written in this time. */
const STILL_WRITTEN_MS = 60_000;
/** Watches other programs want too. */
const SHARE = 0.5;
const FEW_INSTANCES = 16;

/** Whether the system has a watch for each folder, and what lies among the session files without being one. */
export function checkTree(
  { config }: { config: Pick<Config, "roots" | "exclude"> },
  readLimit: ReadLimit = inotifyLimit,
): Finding[] {
  const tree = new Tree(isExcludedBy(config));
  for (const root of config.roots) tree.walk(root);
  // What is wrong with a root itself is for `checkPlaces` to tell.
  const odd = tree.odd.filter(({ where }) => !config.roots.includes(where));
  return [...checkLimits(tree.folders, readLimit), ...odd];
}

function checkLimits(folders: number, readLimit: ReadLimit): Finding[] {
  const findings: Finding[] = [];
  const watches = readLimit("max_user_watches");
  if (watches !== null && folders > watches * SHARE) {
    const isTooFew = folders > watches;
    findings.push({
      level: isTooFew ? "warning" : "note",
      what: `the daemon needs ${formatCount(folders)} of the ${formatCount(watches)} folder watches of this system${isTooFew ? ": it polls instead" : ""}`,
      where: "fs.inotify.max_user_watches",
      remedy: sysctl("max_user_watches", Math.max(524_288, folders * 4)),
    });
  }
  const instances = readLimit("max_user_instances");
  if (instances !== null && instances < FEW_INSTANCES) {
    findings.push({
      level: "warning",
      what: `this system gives each user only ${instances} watchers, which all programs share`,
      where: "fs.inotify.max_user_instances",
      remedy: sysctl("max_user_instances", 512),
    });
  }
  return findings;
}

function sysctl(name: string, value: number): string {
  return `echo fs.inotify.${name}=${value} | sudo tee -a /etc/sysctl.d/60-inotify.conf && sudo sysctl --system`;
}

function inotifyLimit(name: string): number | null {
  return unlessUnreadable(() => Number(readFileSync(`/proc/sys/fs/inotify/${name}`, "utf8"))) ?? null;
}

/** Folders below the roots, each once, and things with the name of a session file that cannot be one. */
class Tree {
  readonly odd: Finding[] = [];
  readonly #seen = new Set<string>();
  readonly #isExcluded: IsExcluded;

  constructor(isExcluded: IsExcluded) {
    this.#isExcluded = isExcluded;
  }

  get folders(): number {
    return this.#seen.size;
  }

  /** Given a root. */
  walk(path: string): void {
    const realPath = this.#read(path, () => realpathSync(path));
    if (realPath !== undefined) this.#folder(path, realPath, Number.POSITIVE_INFINITY);
  }

  /** To ask for the real path of every folder would take minutes where they lie deep. */
  #folder(folder: string, realFolder: string, depth: number): void {
    for (const entry of this.#enter(folder, realFolder)) {
      const path = join(folder, entry.name);
      if (isIllegible(entry, path)) this.#note(path, "the name is not UTF-8, so it is skipped", "Rename it");
      else if (entry.isDirectory()) this.#below(path, join(realFolder, entry.name), depth);
      else if (entry.isSymbolicLink()) this.#followLink(path, Math.min(depth, LINK_DEPTH));
      else if (isUnfinishedCopy(entry.name)) this.#noteCopy(path);
      else if (!entry.isFile() && isSessionFileName(path)) {
        this.#note(path, "is not a regular file, so it is skipped", "");
      }
    }
  }

  /** @param depth how many folders deep what lies above it is looked through */
  #below(folder: string, realFolder: string, depth: number): void {
    if (depth > 0) this.#folder(folder, realFolder, depth - 1);
    else this.#note(folder, `lies more than ${LINK_DEPTH} folders below a link, so it is skipped`, "");
  }

  #enter(folder: string, realFolder: string): Dirent[] {
    if (this.#seen.has(realFolder) || [folder, realFolder].some(this.#isExcluded)) return [];
    const entries = this.#read(folder, () => readdirSync(folder, { withFileTypes: true }));
    if (entries === undefined) return [];
    this.#seen.add(realFolder);
    return entries;
  }

  /** Undefined where a folder cannot be read, which is noted, or is gone. */
  #read<T>(folder: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (codeOf(error) === "") throw error;
      if (codeOf(error) === "ENOENT") return undefined;
      const remedy = "Give yourself read permission; until then the index keeps what it has of it";
      const what = `the folder cannot be read (${codeOf(error)})`;
      this.odd.push({ level: "error", what, where: folder, remedy });
      return undefined;
    }
  }

  #followLink(path: string, depth: number): void {
    try {
      const stats = statSync(path);
      if (!stats.isDirectory()) return;
      const realPath = realpathSync(path);
      const why = this.#isExcluded(path) ? null : whyNotFollowed(realPath, stats);
      if (why === null) this.#below(path, realPath, depth);
      else
        this.#note(
          path,
          `${why} (${realPath})`,
          "Name it as a sessions folder of its own, or remove the link",
        );
    } catch (error) {
      if (codeOf(error) === "") throw error;
      this.#note(path, `the link is broken (${codeOf(error)})`, "Remove it, or restore what it points to");
    }
  }

  /** One that is being written is younger. */
  #noteCopy(path: string): void {
    const stats = unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }));
    if (stats === undefined || Date.now() - stats.mtimeMs < STILL_WRITTEN_MS) return;
    const what = "a crash has left this copy of a session of an earlier format version, which nobody needs";
    const remedy = "Remove it with sessiondb delete and its path";
    this.odd.push({ level: "warning", what, where: path, remedy });
  }

  #note(where: string, what: string, remedy: string): void {
    this.odd.push({ level: "note", what, where, remedy });
  }
}

/** A folder, or what bears the name of a session file, that cannot be got at by the name the system gives. */
function isIllegible(entry: Dirent, path: string): boolean {
  if (!entry.name.includes("\ufffd") || existsSync(path)) return false;
  return entry.isDirectory() || isSessionFileName(entry.name);
}
