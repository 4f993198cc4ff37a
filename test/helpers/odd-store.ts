import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fc } from "./drawn.ts";

/**
 * Events that no conversation causes: files that are no sessions, cannot be read, are excluded, or have several names.
 */
export type OddEvent =
  | { kind: "write"; name: string; bytes: string }
  | { kind: "lock"; name: string; isLocked: boolean }
  | { kind: "hardLink"; name: string; to: string }
  | { kind: "exclude"; folder: string | null };

const NAMES = ["a.jsonl", "b.json", "four.jsonl", "--b--/a.jsonl", "--b--/three.jsonl", "--c--/a.jsonl"];
const name = fc.constantFrom(...NAMES);
const bytes = fc.constantFrom(
  "",
  "\n\n",
  '{"theme":"dark"}',
  "[1,2]",
  '{"type":"note"}\n',
  '{"type":"session","i',
);
const lockable = fc.constantFrom("--b--", "--a--/one.jsonl", ...NAMES);
const folder = fc.constantFrom("--a--", "--b--", null);

export const oddEvents: fc.Arbitrary<OddEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), name, bytes }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("lock" as const), name: lockable, isLocked: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("hardLink" as const), name, to: name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("exclude" as const), folder }) },
);

/** A session file on disk, whatever an index has of it. */
export interface PresentFile {
  inode: number;
  /** Null while it cannot be read. */
  bytes: string | null;
}

/** A sessions root in which odd things happen, with the files that a sync of it can see. */
export class OddStore {
  readonly #root: string;
  readonly #locked = new Set<string>();
  #excluded: string | null = null;

  constructor(root: string) {
    this.#root = root;
  }

  readonly isExcluded = (path: string): boolean =>
    this.#excluded !== null && path.startsWith(join(this.#root, this.#excluded));

  /** Makes an event happen. One that is not possible as things stand does nothing. */
  happen(event: OddEvent): void {
    switch (event.kind) {
      case "write":
        mkdirSync(dirname(this.#path(event.name)), { recursive: true });
        writeFileSync(this.#path(event.name), event.bytes);
        break;
      case "lock":
        if (event.isLocked) this.#locked.add(event.name);
        else this.#locked.delete(event.name);
        break;
      case "hardLink":
        this.#link(event.name, event.to);
        break;
      case "exclude":
        this.#excluded = event.folder;
        break;
      default:
        event satisfies never;
    }
  }

  /** Runs `work` while locked files and folders cannot be read. No events can happen then. */
  whileLocked<T>(work: () => T): T {
    const locked = [...this.#locked].map((name) => this.#path(name)).filter((path) => existsSync(path));
    const modes = locked.map((path) => statSync(path).mode);
    for (const path of locked.toReversed()) chmodSync(path, 0);
    try {
      return work();
    } finally {
      for (const [place, path] of locked.entries()) chmodSync(path, modes[place] ?? 0o644);
    }
  }

  /** The session files that can be seen now, by path; one with several names has several paths. */
  present(folder = this.#root): Map<string, PresentFile> {
    if (isLocked(folder)) return new Map();
    const files = new Map<string, PresentFile>();
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (this.isExcluded(path)) continue;
      if (entry.isDirectory()) for (const [below, file] of this.present(path)) files.set(below, file);
      else if (/\.jsonl?$/.test(path)) files.set(path, presentAt(path));
    }
    return files;
  }

  #link(name: string, to: string): void {
    if (!existsSync(this.#path(name)) || existsSync(this.#path(to))) return;
    mkdirSync(dirname(this.#path(to)), { recursive: true });
    linkSync(this.#path(name), this.#path(to));
  }

  #path(name: string): string {
    return join(this.#root, name);
  }
}

function isLocked(path: string): boolean {
  return (statSync(path).mode & 0o777) === 0;
}

function presentAt(path: string): PresentFile {
  const bytes = isLocked(path) ? null : readFileSync(path, "latin1");
  return { inode: statSync(path).ino, bytes };
}
