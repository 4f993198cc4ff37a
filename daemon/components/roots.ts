import { closeSync, constants, openSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { codeOf } from "../../src/errors.ts";
import { remoteKind } from "../../src/files/file-system.ts";
import { isWithin } from "../../src/files/session-path.ts";

export interface RootsOptions {
  /** The type `statfs` gives; may take for ever. Fails where the root may not be read. */
  typeOf?: (path: string) => Promise<number>;
  /** How long a file system may take to answer. */
  deadlineMs?: number;
}

const DEADLINE_MS = 2000;
/** A timer wakes the process even when it was cleared: one this short does so while the process is still awake. */
const SOON_MS = 2;

/**
 * What kind of file systems the roots are on. A network file system tells nothing about changes made on other machines,
 * and when it is cut off every call on it hangs: so each root is asked first, by a call that may hang without harm.
 */
export class Roots {
  readonly all: readonly string[];
  readonly #typeOf: (path: string) => Promise<number>;
  readonly #deadlineMs: number;
  readonly #remote = new Map<string, string>();
  readonly #silent = new Set<string>();
  /** Roots that answered with an error, with its code. */
  readonly #unreachable = new Map<string, string>();
  readonly #asked = new Map<string, Promise<void>>();
  /** The answers as they were at the last check: a silent root may answer at any time. */
  #checked: string;

  constructor(roots: readonly string[], options: RootsOptions = {}) {
    this.all = roots;
    this.#typeOf = options.typeOf ?? typeOfReadable;
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    this.#checked = this.#answers();
  }

  /** Those that can be looked at without hanging. */
  get answering(): string[] {
    return this.all.filter((root) => !this.#silent.has(root));
  }

  /** Whether the file system tells about changes below a root. */
  tells(root: string): boolean {
    return !this.#silent.has(root) && !this.#remote.has(root);
  }

  /** Whether a file can be looked at without hanging. */
  mayLookAt(path: string): boolean {
    return this.#silent.size === 0 || ![...this.#silent].some((root) => isWithin(root, path));
  }

  /** Whether changes are found by looking only. */
  get polls(): boolean {
    return this.#remote.size > 0;
  }

  /** For people; null when nothing is special about the roots. */
  get trouble(): string | null {
    const [silent] = this.#silent;
    if (silent !== undefined) return `the file system of ${silent} does not respond`;
    const [unreachable] = this.#unreachable;
    if (unreachable !== undefined) return describeUnreachable(...unreachable);
    const [remote] = this.#remote;
    if (remote === undefined) return null;
    return `${remote[0]} is on a file system that does not report changes made by other machines (${remote[1]}): it is checked every few seconds`;
  }

  /** Asks every root. Waits for a silent one once only. Returns whether something is otherwise than at the last check. */
  async check(): Promise<boolean> {
    await Promise.all(this.all.map((root) => this.#check(root)));
    const before = this.#checked;
    this.#checked = this.#answers();
    return this.#checked !== before;
  }

  /** What is known about every root, to be compared; `trouble` names only one. */
  #answers(): string {
    const answerOf = (root: string) => [
      this.#silent.has(root),
      this.#unreachable.get(root),
      this.#remote.get(root),
    ];
    return JSON.stringify(this.all.map(answerOf));
  }

  async #check(root: string): Promise<void> {
    const asked = this.#asked.get(root) ?? this.#ask(root);
    if (this.#silent.has(root)) return;
    const isInTime = (await isOver(asked, SOON_MS)) || (await isOver(asked, this.#deadlineMs));
    if (!isInTime) this.#silent.add(root);
  }

  /** At most one question at a time: those that hang hold a thread each. */
  #ask(root: string): Promise<void> {
    const asked = this.#typeOf(root)
      .then(
        (type) => this.#note(root, { remote: remoteKind(type), unreachable: null }),
        (error: unknown) => {
          // A root that is not there is looked for again; what refuses to answer has answered.
          if (codeOf(error) === "") throw error;
          this.#note(root, { remote: null, unreachable: codeOf(error) });
        },
      )
      .finally(() => this.#asked.delete(root));
    this.#asked.set(root, asked);
    return asked;
  }

  #note(root: string, { remote, unreachable }: Record<"remote" | "unreachable", string | null>): void {
    this.#silent.delete(root);
    put(this.#remote, root, remote);
    put(this.#unreachable, root, unreachable);
  }
}

/** Whether it is over within so long. */
async function isOver(promise: Promise<void>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), withinMs);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Also makes sure that the folder can be read: `statfs` needs that only of the folders above it. A file system that has just
 * answered will answer again; to ask that, too, in another thread takes an idle daemon a fifth more.
 */
async function typeOfReadable(path: string): Promise<number> {
  const { type } = await statfs(path);
  closeSync(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY));
  return type;
}

function put(notes: Map<string, string>, root: string, note: string | null): void {
  if (note === null) notes.delete(root);
  else notes.set(root, note);
}

function describeUnreachable(root: string, code: string): string {
  return code === "ENOENT" ? `there is no folder ${root}` : `the folder ${root} cannot be read (${code})`;
}
