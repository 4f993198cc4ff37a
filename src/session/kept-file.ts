import { closeSync, constants, openSync } from "node:fs";
import { SessionDbError } from "../errors.ts";
import { type FileStat, sameFile, statOpenFile } from "../file/stat.ts";

/** Files kept open at one time: programs that open sessions by the thousand have few descriptors to spare. */
const MOST_OPEN = 64;

/** Those that are open, the one that was used last at the end. */
const open = new Set<KeptFile>();

/**
 * A session's file, kept open for as long as the session may have to read from it, so that it can be read even
 * if its name is gone. Of many, the ones used least are closed, and found again by their path.
 */
export class KeptFile {
  readonly #path: string;
  readonly #stat: FileStat;
  #fd: number | null;

  /** Takes over an open descriptor. */
  constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
    this.#stat = statOpenFile(fd);
    this.#use();
  }

  /** As it was when the session was opened. */
  get stat(): FileStat {
    return this.#stat;
  }

  /**
   * A descriptor to read from at once; the next use of another file may close it.
   *
   * @throws the file system's error; `io` when another file stands at the path now
   */
  get fd(): number {
    this.#fd ??= this.#reopen();
    this.#use();
    return this.#fd;
  }

  close(): void {
    open.delete(this);
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #use(): void {
    open.delete(this);
    open.add(this);
    const [leastUsed] = open;
    if (open.size > MOST_OPEN) leastUsed?.close();
  }

  #reopen(): number {
    const fd = openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (sameFile(statOpenFile(fd), this.#stat)) return fd;
    closeSync(fd);
    throw new SessionDbError("io", `Another file has taken the place of the session file ${this.#path}`, {
      hint: "Open the session again to continue from what the file holds now.",
    });
  }
}

const unused = new FinalizationRegistry<KeptFile>((file) => file.close());

/** Closes a file with the last of its reader: there is no moment at which a session is known to be done with. */
export function closeWith(reader: object, file: KeptFile): void {
  unused.register(reader, file);
}
