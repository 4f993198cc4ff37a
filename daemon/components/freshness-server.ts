import { mkdirSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { codeOf, messageOf, unlessUnreadable } from "../../src/errors.ts";
import { parseSmallJson } from "../../src/files/json-file.ts";
import type { FileIdentity } from "../../src/files/stat.ts";
import {
  type FreshnessQuestion,
  socketPathOf,
  strangerAt,
  UP_TO_DATE,
} from "../../src/indexing/freshness-client.ts";
import { fileAt, type IndexLocation, isSameFile } from "../../src/store/location.ts";
import { type Log, SILENT } from "../control/log.ts";

/** A longer question comes from no program of ours. In characters. */
const LONGEST_QUESTION = 128 * 1024;
/** Who asks when so many others do looks at the files. */
const MOST_ASKERS = 64;
/** A program of ours asks at once, and hangs up when it has the answer. */
const LONGEST_MS = 5000;

export interface FreshnessServerOptions {
  location: IndexLocation;
  /** The user's own folder for sockets. */
  runtimeDir: string | undefined;
  log?: Log;
  /** How long an asker may take for the question, and then to hang up. */
  longestMs?: number;
}

/** Answers those who ask whether the index is up to date, at a socket that only its owner can reach. */
export class FreshnessServer {
  readonly #path: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #longestMs: number;
  #identity: FileIdentity | null = null;

  private constructor(
    path: string,
    { log = SILENT, longestMs = LONGEST_MS }: Pick<FreshnessServerOptions, "log" | "longestMs">,
    answer: (question: FreshnessQuestion) => Promise<boolean>,
  ) {
    this.#path = path;
    this.#longestMs = longestMs;
    // The asker closes its side to say that the question is complete.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#hear(socket, answer).catch((error: unknown) => {
        // Without an answer the asker looks at the files: nothing that goes wrong here is worth the daemon's end.
        log.write("questionFailed", { message: messageOf(error) });
        socket.destroy();
      });
    });
    this.#server.maxConnections = MOST_ASKERS;
  }

  /**
   * Only the holder of the lease may call this: so a socket that is there already belongs to a dead daemon. Null where
   * there can be no socket; then everybody looks at the files.
   */
  static async open(
    { location, runtimeDir, ...options }: FreshnessServerOptions,
    answer: (question: FreshnessQuestion) => Promise<boolean>,
  ): Promise<FreshnessServer | null> {
    const path = socketPathOf(location, runtimeDir);
    if (path === null) return null;
    const opened = new FreshnessServer(path, options, answer);
    try {
      makeUnlessThere(dirname(path));
      const stranger = strangerAt(path);
      if (stranger !== null) {
        options.log?.write("socketNotOurs", stranger);
        return null;
      }
      await opened.#listen();
      return opened;
    } catch (error) {
      opened.#server.close();
      // A folder that is not there any more, or is not ours to write to.
      if (codeOf(error) === "") throw error;
      return null;
    }
  }

  /** Makes the socket under another name and renames it: at the end Node removes whatever has the first name. */
  async #listen(): Promise<void> {
    // No longer than the final name, because the length of a socket's path is limited.
    const made = join(dirname(this.#path), String(process.pid));
    rmSync(made, { force: true });
    await new Promise<void>((resolve, reject) => {
      // It stays on when the server listens: a question that cannot be accepted must not end the daemon.
      this.#server.on("error", reject).listen(made, resolve);
    });
    this.#identity = fileAt(made);
    renameSync(made, this.#path);
  }

  /** The socket goes with it, but not that of a daemon that has the lease by now. */
  async close(): Promise<void> {
    const there = unlessUnreadable(() => fileAt(this.#path)) ?? null;
    if (isSameFile(there, this.#identity)) rmSync(this.#path, { force: true });
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Hangs up where it takes the asker too long. */
  async #within<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
    const limit = setTimeout(() => socket.destroy(), this.#longestMs);
    try {
      return await work();
    } finally {
      clearTimeout(limit);
    }
  }

  async #hear(socket: Socket, answer: (question: FreshnessQuestion) => Promise<boolean>): Promise<void> {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // The asker may be gone before the answer comes.
    socket.on("error", () => socket.destroy());
    const question = await this.#within(socket, () => read(socket));
    const isUpToDate = question !== null && (await answer(question));
    await this.#within(socket, () => {
      return new Promise<void>((resolve) => {
        socket.on("close", () => resolve());
        if (socket.destroyed) resolve();
        socket.end(isUpToDate ? UP_TO_DATE : "").resume();
      });
    });
  }
}

/** Null for what is not a question. */
function read(socket: Socket): Promise<FreshnessQuestion | null> {
  let text = "";
  socket.setEncoding("utf8");
  return new Promise((resolve) => {
    socket.on("data", (part: string) => {
      text += part;
      if (text.length > LONGEST_QUESTION) socket.destroy();
    });
    socket.on("end", () => resolve(parse(text)));
    socket.on("close", () => resolve(null));
  });
}

/** Daemons of several folders may be started at one login. Not with `recursive`: below /proc Node tries that for ever. */
function makeUnlessThere(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function parse(text: string): FreshnessQuestion | null {
  const value = parseSmallJson(text);
  return isQuestion(value) ? value : null;
}

function isQuestion(value: unknown): value is FreshnessQuestion {
  if (typeof value !== "object" || value === null) return false;
  const { indexPath, roots, exclude } = value as Record<string, unknown>;
  return typeof indexPath === "string" && [roots, exclude].every(isListOfTexts);
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
