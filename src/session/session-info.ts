/** What a list of sessions shows of one of them, gathered entry by entry, or read from its file. */
import { closeSync, fstatSync } from "node:fs";
import { setImmediate as pause } from "node:timers/promises";
import { codeOf, unlessUnreadable } from "../errors.ts";
import type { LineReader } from "../files/lines.ts";
import { openForReading } from "../files/open-file.ts";
import { isSpoken } from "../format/entry.ts";
import type { FileEntry, SessionHeader, SessionInfoEntry, SessionMessageEntry } from "../format/types.ts";
import { NO_MESSAGES } from "../text/preview.ts";
import { headerCwd } from "./header.ts";
import { readInSteps } from "./load.ts";

export interface SessionInfo {
  path: string;
  id: string;
  /** Where the session was started; empty for old sessions. */
  cwd: string;
  /** The name that the user gave it. */
  name?: string;
  /** Path of the session this one was forked from. */
  parentSessionPath?: string;
  created: Date;
  /** When a user or a model last said something; else `created`; else the file's modification time. */
  modified: Date;
  /** All entries of type `message`. */
  messageCount: number;
  /** The user's first message; `(no messages)` where there is none. Read at the first access. */
  firstMessage: string;
  /**
   * The messages of users and models, in file order, with a space between. Read at the first access: as they were when
   * the session was listed, or as the whole file has them now.
   */
  allMessagesText: string;
}

type Unknown = "name" | "parentSessionPath";

/** Unknown fields are there as undefined, as in pi's. */
export type SessionInfoFields = Omit<SessionInfo, keyof SessionTexts | Unknown> &
  Record<Unknown, string | undefined>;

/** The messages of a session as text, read at the first access. */
export type SessionTexts = Pick<SessionInfo, "firstMessage" | "allMessagesText">;

/** The property in which an info keeps the source of its texts; neither copies nor JSON have it. */
const TEXTS = Symbol("texts");

/** One descriptor for all infos: if each had its own accessors, V8 would give thousands of objects different shapes. */
const FIRST_MESSAGE = readWhenAskedFor("firstMessage");
const ALL_MESSAGES = readWhenAskedFor("allMessagesText");

function readWhenAskedFor(
  name: keyof SessionTexts,
): PropertyDescriptor & ThisType<SessionInfo & { [TEXTS]: SessionTexts }> {
  return {
    get() {
      const value = this[TEXTS][name];
      // A frozen info stays as it is, and the text is read again next time.
      if (!Object.isSealed(this)) this[name] = value;
      return value;
    },
    set(value: string) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: true,
    configurable: true,
  };
}

/**
 * Adds to the fields texts that are read at the first access. The properties are enumerable and the object's own, so
 * that copies and JSON have them as they have pi's, which are plain data; after the first access these are plain data,
 * too. `fields` itself becomes the info.
 */
export function sessionInfo(fields: SessionInfoFields, texts: SessionTexts): SessionInfo {
  Object.defineProperty(fields, TEXTS, { value: texts });
  Object.defineProperty(fields, "firstMessage", FIRST_MESSAGE);
  return Object.defineProperty(fields, "allMessagesText", ALL_MESSAGES) as SessionInfo;
}

/** Newest activity first, in place. */
export function sortSessionInfos(sessions: SessionInfo[]): SessionInfo[] {
  return sessions.sort((a, b) => b.modified.getTime() - a.modified.getTime());
}

/** Gathers a `SessionInfo` from the entries of a file, given in order. */
class SessionInfoBuilder {
  #header: SessionHeader | undefined;
  #name: string | undefined;
  #messageCount = 0;
  #firstMessage = "";
  #lastActivity: number | undefined;
  readonly #texts: string[] = [];

  /**
   * Takes the next entry. False when the file cannot be listed: its first entry is no header, or an entry is damaged in
   * a way for which pi gives up on the whole session.
   */
  add(entry: FileEntry): boolean {
    if (this.#header === undefined) {
      if (entry.type !== "session") return false;
      this.#header = entry;
      return true;
    }
    if (entry.type === "session_info") return this.#addName(entry);
    return entry.type === "message" ? this.#addMessage(entry) : true;
  }

  /** Null when there was no header. */
  build(path: string, fileModified: Date): SessionInfo | null {
    const header = this.#header;
    if (header === undefined) return null;
    const texts = this.#texts;
    const fields = {
      path,
      id: header.id,
      cwd: headerCwd(header) ?? "",
      name: this.#name,
      parentSessionPath: header.parentSession,
      created: new Date(header.timestamp),
      modified: this.#modified(header, fileModified),
      messageCount: this.#messageCount,
    };
    return sessionInfo(fields, {
      firstMessage: this.#firstMessage || NO_MESSAGES,
      get allMessagesText() {
        return texts.join(" ");
      },
    });
  }

  #modified(header: SessionHeader, fileModified: Date): Date {
    if (this.#lastActivity !== undefined && this.#lastActivity > 0) return new Date(this.#lastActivity);
    const stated: unknown = header.timestamp;
    const created = typeof stated === "string" ? new Date(stated) : undefined;
    return created !== undefined && !Number.isNaN(created.getTime()) ? created : fileModified;
  }

  /** The latest name counts, an empty one included: it clears the name. */
  #addName(entry: SessionInfoEntry): boolean {
    const name: unknown = entry.name ?? "";
    if (typeof name !== "string") return false;
    this.#name = name.trim() || undefined;
    return true;
  }

  #addMessage(entry: SessionMessageEntry): boolean {
    this.#messageCount++;
    const message: unknown = entry.message;
    if (message === null || message === undefined) return false;
    if (typeof message !== "object" || !("role" in message && "content" in message)) return true;
    if (!isSpoken(message.role)) return true;
    this.#noteActivity("timestamp" in message ? message.timestamp : undefined, entry.timestamp);
    const text = spokenText(message.content);
    if (text === null) return false;
    if (text === "") return true;
    this.#texts.push(text);
    if (message.role === "user") this.#firstMessage ||= text;
    return true;
  }

  /** A message's own time is in Unix ms; the entry's is ISO 8601. */
  #noteActivity(messageTime: unknown, entryTime: string): void {
    const time = typeof messageTime === "number" ? messageTime : new Date(entryTime).getTime();
    if (!Number.isNaN(time)) this.#lastActivity = Math.max(this.#lastActivity ?? 0, time);
  }
}

/** Null for content that is neither text nor a list of blocks. */
function spokenText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts: unknown[] = [];
  for (const block of content) {
    if (block === null) return null;
    if (block.type === "text") texts.push(block.text);
  }
  return texts.join(" ");
}

/** Null for a file that is no session or cannot be read: one bad file must not end the list. */
export async function readInfo(
  path: string,
  reader: LineReader,
  signal: AbortSignal | undefined,
): Promise<SessionInfo | null> {
  let info: SessionInfo | null = null;
  try {
    for (info of infoInSteps(path, reader)) {
      await pause();
      signal?.throwIfAborted();
    }
    return info;
  } catch (error) {
    signal?.throwIfAborted();
    if (codeOf(error) === "") throw error;
    return null;
  }
}

/** The messages in a session file as text, as it is now; nothing when it cannot be read any more. */
export function readTexts(path: string): SessionTexts {
  const info = unlessUnreadable(() => [...infoInSteps(path)].at(-1));
  return info ?? NOTHING;
}

const NOTHING: SessionTexts = { firstMessage: NO_MESSAGES, allMessagesText: "" };

/** Reads a file in steps, so that a program can do other things after each; the last step gives the info. */
function* infoInSteps(path: string, reader?: LineReader): Generator<SessionInfo | null> {
  const fd = openForReading(path);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return;
    const builder = new SessionInfoBuilder();
    for (const { entries } of readInSteps(path, fd, { size: stats.size, reader })) {
      for (const entry of entries) if (!builder.add(entry)) return;
      yield null;
    }
    yield builder.build(path, stats.mtime);
  } finally {
    closeSync(fd);
  }
}
