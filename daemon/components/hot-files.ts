import { statSync } from "node:fs";
import { codeOf } from "../../src/errors.ts";
import type { LocatedFile } from "../../src/files/locate.ts";
import type { Recent } from "../../src/indexing/scan.ts";

const HOT_MS = 24 * 60 * 60_000;
/** The most hot files: in a store that was just copied all files are new, and an idle daemon must stay idle. */
const MOST = 300;

/**
 * The newest files, which are looked at more often than the others. A look is one stat for each: only what
 * differs from the last look is handed out.
 */
export class HotFiles {
  /** By path, what the last look saw; the empty string before it. */
  readonly #seen = new Map<string, string>();

  /** For a look at everything, which finds out anew what is hot: what was written within a day. `now` in Unix ms. */
  recent(now: number): Recent {
    return { since: now - HOT_MS, onLocated: (files) => this.#choose(files) };
  }

  #choose(files: readonly LocatedFile[]): void {
    const hot = [...files].sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs).slice(0, MOST);
    const chosen = new Map(hot.map(({ path }) => [path, this.#seen.get(path) ?? ""]));
    this.#seen.clear();
    for (const [path, seen] of chosen) this.#seen.set(path, seen);
  }

  /** A file is being written: it is hot until the next choice. */
  add(path: string): void {
    if (!this.#seen.has(path) && this.#seen.size < 2 * MOST) this.#seen.set(path, "");
  }

  /** Those that are not what they were at the last look. */
  changed(mayLookAt: (path: string) => boolean): string[] {
    const paths: string[] = [];
    for (const [path, seen] of this.#seen) {
      if (!mayLookAt(path)) continue;
      const now = stateOf(path);
      if (now === seen) continue;
      this.#seen.set(path, now);
      paths.push(path);
    }
    return paths;
  }
}

function stateOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "none";
    return `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return codeOf(error);
  }
}
