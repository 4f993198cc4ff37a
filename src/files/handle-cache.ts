import { closeSync, constants, openSync } from "node:fs";
import { SessionDbError } from "../errors.ts";
import { type FileIdentity, sameFile, statOpenFile } from "./stat.ts";

/** The most files kept open at one time: programs that open thousands of sessions have few descriptors to spare. */
const MOST_OPEN = 64;

/** The files that are open, the most recently used one last. */
const open = new Set<CachedHandle>();
let lastUsed: CachedHandle | undefined;

/**
 * A session's file, kept open while the session is in use: it can then be read even if its name is gone, and
 * appended to without being opened for each line. When there are too many, the one unused for longest is closed, and
 * opened again by its path when it is needed.
 */
export class CachedHandle {
  readonly path: string;
  readonly #identity: FileIdentity;
  readonly #flags: number;
  #fd: number | null = null;

  /** The file is opened when it is first used. */
  constructor(path: string, identity: FileIdentity, flags: number = constants.O_RDONLY) {
    this.path = path;
    this.#identity = identity;
    this.#flags = flags | constants.O_NONBLOCK;
  }

  /** Takes over a descriptor that is open for reading. */
  static of(path: string, fd: number): CachedHandle {
    const file = new CachedHandle(path, statOpenFile(fd));
    file.#fd = fd;
    file.#use();
    return file;
  }

  /**
   * A descriptor to use at once; the next use of another file may close it.
   *
   * @throws the file system's error; `io` when another file stands at the path now
   */
  get fd(): number {
    this.#fd ??= this.#open();
    if (lastUsed !== this) this.#use();
    return this.#fd;
  }

  close(): void {
    open.delete(this);
    if (lastUsed === this) lastUsed = undefined;
    const fd = this.#fd;
    // Forgotten before it is closed: even if closing fails, the number may belong to another file from then on.
    this.#fd = null;
    if (fd !== null) closeSync(fd);
  }

  #use(): void {
    open.delete(this);
    open.add(this);
    lastUsed = this;
    const [leastUsed] = open;
    if (open.size > MOST_OPEN) leastUsed?.close();
  }

  #open(): number {
    const fd = openSync(this.path, this.#flags);
    if (sameFile(statOpenFile(fd), this.#identity)) return fd;
    closeSync(fd);
    throw sessionFileReplaced(this.path);
  }
}

/** For appending: in another file the line would be lost, or stand without its session. */
export function sessionFileReplaced(path: string): SessionDbError {
  return new SessionDbError("io", `Another file has taken the place of the session file ${path}`, {
    hint: "Nothing was written. Open the session again to continue from what the file holds now.",
  });
}

const unused = new FinalizationRegistry<CachedHandle>((file) => file.close());

/** Closes a file when its user is garbage-collected: nothing else says that a session is no longer in use. */
export function closeWith(user: object, handle: CachedHandle): void {
  unused.register(user, handle);
}
