import { resolve } from "node:path";
import { codeOf, isSystemError, SessionDbError } from "../errors.ts";
import { Appender, type FileMark } from "../files/append.ts";
import { endOfLinks } from "../files/paths.ts";
import type { FileStat } from "../files/stat.ts";
import { createFile, replaceFile } from "../files/write-file.ts";
import { isSpoken } from "../format/entry.ts";
import { isJsonObject } from "../format/json.ts";
import type { FileEntry, SessionEntry } from "../format/types.ts";
import type { EntryTree } from "./entry-tree.ts";

/**
 * Whether an entry is a message of a user or a model. The first such entry creates the session's file, so that a prompt
 * is on disk before the model answers (as in pi 1.x; earlier, the model's answer created it).
 */
export function isConversation(entry: SessionEntry): boolean {
  if (entry.type !== "message") return false;
  const message: unknown = entry.message;
  return isJsonObject(message) && isSpoken(message.role);
}

/**
 * A file of an earlier form. An array file stays as it is, and the first new entry begins a `.jsonl` beside it; a file
 * that was not migrated yet is replaced when the first entry is added.
 */
type OlderFile = { form: "array" } | { form: "unmigrated"; stat: FileStat };

/**
 * The file of one open session. It decides when the file is created, and writes every entry to it or refuses it with an
 * error.
 */
export class SessionFile {
  #path: string;
  /** Absolute, so that it holds when the process changes its working directory. */
  #absolutePath: string;
  /** Null until there is a file that lines can be appended to. */
  #appender: Appender | null;
  /** The file of an earlier form that is there instead, if any. */
  readonly #older: OlderFile | null;

  private constructor(path: string, mark: FileMark | null, older: OlderFile | null) {
    this.#path = path;
    this.#absolutePath = resolve(path);
    this.#appender = mark && new Appender(this.#absolutePath, mark);
    this.#older = older;
  }

  /** A file that is created with the first message of a user or a model. */
  static planned(path: string): SessionFile {
    return new SessionFile(path, null, null);
  }

  /** A file that is created now. @throws as `createFile`. */
  static created(path: string, entries: Iterable<FileEntry>): SessionFile {
    return SessionFile.existing(path, createFile(path, linesOf(entries)));
  }

  static existing(path: string, mark: FileMark): SessionFile {
    return new SessionFile(path, mark, null);
  }

  /** A `.json` file with one array. */
  static array(path: string): SessionFile {
    return new SessionFile(path, null, { form: "array" });
  }

  /** A file of version 1 or 2 that could not be replaced when it was opened. */
  static unmigrated(path: string, stat: FileStat): SessionFile {
    return new SessionFile(path, null, { form: "unmigrated", stat });
  }

  get path(): string {
    return this.#path;
  }

  /**
   * Writes an entry that `tree` does not hold yet. When it throws, the file is as it was.
   *
   * @throws as `Appender.append`, `createFile` and `replaceFile` do; `io` for a file of an earlier form that cannot be
   *   continued.
   */
  append(entry: SessionEntry, tree: EntryTree): void {
    const [appender, older] = [this.#appender, this.#older];
    if (appender !== null) this.#orRestore(entry, tree, () => appender.append(lineOf(entry)));
    else if (older?.form === "array") this.#convert(entry, tree);
    else if (older?.form === "unmigrated") {
      this.#orRestore(entry, tree, () => this.#migrate(entry, tree, older.stat));
    } else if (isConversation(entry)) this.#create(this.#absolutePath, entry, tree);
  }

  /** A file that was deleted is written again as a whole: the entry alone would be no session. */
  #orRestore(entry: SessionEntry, tree: EntryTree, append: () => void): void {
    try {
      append();
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      this.#create(this.#absolutePath, entry, tree, endOfLinks(this.#absolutePath));
    }
  }

  #convert(entry: SessionEntry, tree: EntryTree): void {
    const path = this.#path.replace(/\.json$/, ".jsonl");
    const absolutePath = this.#absolutePath.replace(/\.json$/, ".jsonl");
    try {
      this.#create(absolutePath, entry, tree);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      throw new SessionDbError("io", `${this.#path} cannot be continued: ${path} exists already`, {
        hint: `Open ${path} instead, or move it away.`,
        cause: error,
      });
    }
    this.#path = path;
    this.#absolutePath = absolutePath;
  }

  #migrate(entry: SessionEntry, tree: EntryTree, stat: FileStat): void {
    const lines = linesOf(withLast(tree.fileEntries(), entry));
    try {
      this.#appender = new Appender(this.#absolutePath, replaceFile(this.#absolutePath, lines, stat));
    } catch (error) {
      throw codeOf(error) !== "ENOENT" && isSystemError(error) ? notMigrated(this.#path, error) : error;
    }
  }

  /** @param end where a link at the path leads; lines are appended to whatever stands at the path */
  #create(path: string, entry: SessionEntry, tree: EntryTree, end = path): void {
    const mark = createFile(end, linesOf(withLast(tree.fileEntries(), entry)));
    this.#appender?.close();
    this.#appender = new Appender(path, mark);
  }
}

function notMigrated(path: string, cause: unknown): SessionDbError {
  const reason = cause instanceof Error ? cause.message : codeOf(cause);
  return new SessionDbError(
    "io",
    `${path} has an earlier format version, and cannot be replaced: ${reason}`,
    {
      hint: "It was left as it is. A new file beside it has to take its place: that needs write permission on the folder, free space, and a file that is not a mount point.",
      cause,
    },
  );
}

/** The line of an entry in a file. */
export function lineOf(entry: FileEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

export function* linesOf(entries: Iterable<FileEntry>): Generator<string> {
  for (const entry of entries) yield lineOf(entry);
}

function* withLast(entries: Iterable<FileEntry>, last: FileEntry): Generator<FileEntry> {
  yield* entries;
  yield last;
}
