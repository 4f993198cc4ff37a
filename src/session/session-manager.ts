import { existsSync } from "node:fs";
import { join } from "node:path";
import { defaultSessionDirPath, defaultSessionsRoot, getDefaultSessionDir } from "../config/pi.ts";
import { makeFolder } from "../files/folder.ts";
import { normalizePath, pathsEqual, resolvePath } from "../files/paths.ts";
import { drawEntryId } from "../format/ids.ts";
import type { FileEntry, NewSessionOptions } from "../format/types.ts";
import { branchedEntries } from "./branched.ts";
import { findMostRecentSession, findSessionById, headerCwd, isSessionOf } from "./header.ts";
import { loadEntriesFromFile } from "./load.ts";
import {
  beginSession,
  fileNameOf,
  headerOf,
  newHeader,
  type OpenSession,
  openSession,
  type Place,
  type ReadFile,
  readSession,
  sessionFromEntries,
  sessionOf,
} from "./open-session.ts";
import { isConversation, SessionFile } from "./session-file.ts";
import { type SessionInfo, sortSessionInfos } from "./session-info.ts";
import { listRoot, listSessionsIn, type SessionListProgress } from "./session-list.ts";
import { SessionWriter } from "./session-writer.ts";

/** The methods of a session that do not change it. */
export type ReadonlySessionManager = Pick<
  SessionManager,
  | "getCwd"
  | "getSessionDir"
  | "getSessionId"
  | "getSessionFile"
  | "getLeafId"
  | "getLeafEntry"
  | "getEntry"
  | "getLabel"
  | "getBranch"
  | "buildContextEntries"
  | "buildSessionProjection"
  | "getHeader"
  | "getEntries"
  | "getTree"
  | "getSessionName"
>;

/**
 * pi's `SessionManager`, method for method: one open session, kept as a tree of entries in a JSONL file to
 * which lines are only ever appended. It reads as pi's does, and writes the same bytes; docs/session-manager.md lists the
 * differences that are on purpose.
 */
export class SessionManager extends SessionWriter {
  private constructor(place: Place, begin: (place: Place) => OpenSession) {
    const absolute = { ...place, cwd: resolvePath(place.cwd), sessionDir: normalizePath(place.sessionDir) };
    if (absolute.persist && absolute.sessionDir) ensureFolder(absolute.sessionDir);
    super(absolute, begin(absolute));
  }

  /**
   * A new session. Its file is created with the first message of a user or a model.
   *
   * @param sessionDir where it is kept; by default pi's folder for `cwd`.
   * @throws Error for an id that is unsafe in a path.
   */
  static create(cwd: string, sessionDir?: string, options?: NewSessionOptions): SessionManager {
    const place = { cwd, sessionDir: folderFor(cwd, sessionDir), persist: true };
    return new SessionManager(place, (at) => beginSession(at, options));
  }

  /**
   * The session of a file; where there is none, a new session that will be kept there. Files of version 1
   * and 2 are migrated. The working directory is the header's.
   *
   * @param sessionDir where new sessions and branches are kept; by default the file's folder.
   * @throws Error for a file that is not a session, which stays as it is.
   */
  static open(path: string, sessionDir?: string, cwdOverride?: string): SessionManager {
    const file = resolvePath(path);
    const read = cwdOverride === undefined && existsSync(file) ? readSession(file) : undefined;
    const cwd = cwdOverride ?? cwdOf(read) ?? process.cwd();
    const place = { cwd, sessionDir: sessionDir || join(file, ".."), persist: true };
    return new SessionManager(place, (at) => openSession(file, at, read));
  }

  /** The session of a working directory that was last written to, or a new one. */
  static continueRecent(cwd: string, sessionDir?: string): SessionManager {
    const { dir, onlyCwd } = searchIn(cwd, sessionDir);
    const recent = findMostRecentSession(dir, onlyCwd);
    const place = { cwd, sessionDir: dir, persist: true };
    return new SessionManager(place, (at) => (recent ? openSession(recent, at) : beginSession(at)));
  }

  /**
   * A session without a file. `entries` continues one that the caller keeps; where the array holds a header, new
   * entries are added to it, too.
   */
  static inMemory(
    cwd: string = process.cwd(),
    options?: NewSessionOptions,
    entries?: FileEntry[],
  ): SessionManager {
    const place = { cwd, sessionDir: "", persist: false };
    return new SessionManager(place, (at) =>
      entries?.length ? sessionFromEntries(at, entries, options) : beginSession(at, options),
    );
  }

  /**
   * A new session in `targetCwd` with all entries of another, which stays as it is.
   *
   * @param sessionDir where it is kept; by default pi's folder for `targetCwd`.
   * @throws Error for a source that is not a session, and for an id that is unsafe in a path.
   */
  static forkFrom(
    sourcePath: string,
    targetCwd: string,
    sessionDir?: string,
    options?: NewSessionOptions,
  ): SessionManager {
    const parentSession = resolvePath(sourcePath);
    const cwd = resolvePath(targetCwd);
    const source = loadEntriesFromFile(parentSession);
    if (source.length === 0) {
      throw new Error(`Cannot fork: source session file is empty or invalid: ${parentSession}`);
    }
    const dir = folderFor(cwd, sessionDir);
    const header = newHeader(cwd, { ...options, parentSession });
    const entries = [header, ...source.filter((entry) => entry.type !== "session")];
    const path = resolvePath(join(dir, fileNameOf(header)));
    const file = SessionFile.created(path, entries);
    return new SessionManager({ cwd, sessionDir: dir, persist: true }, () => sessionOf(entries, file));
  }

  /** The file of the session with exactly this id; no transcript is read for it. */
  static findById(cwd: string, id: string, sessionDir?: string): string | undefined {
    const { dir, onlyCwd } = searchIn(cwd, sessionDir);
    return findSessionById(dir, id, onlyCwd === undefined ? undefined : resolvePath(onlyCwd));
  }

  /**
   * The sessions of a working directory, newest activity first.
   *
   * @throws the signal's reason once it is aborted.
   */
  static async list(
    cwd: string,
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
  ): Promise<SessionInfo[]> {
    const { dir, onlyCwd } = searchIn(cwd, sessionDir);
    const resolvedCwd = resolvePath(cwd);
    const belongs = (info: SessionInfo) => onlyCwd === undefined || isSessionOf(resolvedCwd, info.cwd);
    return sortSessionInfos(await listSessionsIn(dir, { belongs, onProgress, signal }));
  }

  /**
   * The sessions of all working directories, or of one folder, newest activity first.
   *
   * @throws the signal's reason once it is aborted.
   */
  static listAll(onProgress?: SessionListProgress, signal?: AbortSignal): Promise<SessionInfo[]>;
  static listAll(
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
  ): Promise<SessionInfo[]>;
  static async listAll(
    first?: string | SessionListProgress,
    second?: SessionListProgress | AbortSignal,
    third?: AbortSignal,
  ): Promise<SessionInfo[]> {
    const onProgress = [first, second].find((argument) => typeof argument === "function");
    const signal = typeof second === "function" ? third : (second ?? third);
    const infos =
      typeof first === "string" && first !== ""
        ? await listSessionsIn(normalizePath(first), { onProgress, signal })
        : await listRoot(defaultSessionsRoot(), onProgress, signal);
    return sortSessionInfos(infos);
  }

  /**
   * Continues with the session of another file, as `open` does; the working directory stays.
   *
   * @throws as `open` does; this session then stays in use.
   */
  setSessionFile(sessionFile: string): void {
    this.session = openSession(sessionFile, this.place);
  }

  /**
   * Continues with a new session. Returns the path of its future file.
   *
   * @throws Error for an id that is unsafe in a path.
   */
  newSession(options?: NewSessionOptions): string | undefined {
    const file = this.place.persist ? undefined : this.session.file;
    this.session = beginSession(this.place, options, file);
    return this.getSessionFile();
  }

  /**
   * Continues with a new session that holds only the branch of an entry, with the labels in force on it.
   * Returns its file, or undefined for a session in memory.
   *
   * @throws Error for an unknown entry; the file system's error, and this session then stays in use.
   */
  createBranchedSession(leafId: string): string | undefined {
    const branch = this.getBranch(leafId);
    if (branch.length === 0) throw new Error(`Entry ${leafId} not found`);
    const parentSession = this.place.persist ? this.getSessionFile() : undefined;
    const header = newHeader(this.place.cwd, { parentSession });
    const copied = branchedEntries(branch, this.session.tree.labels(), drawEntryId);
    const entries = [header, ...copied];
    if (!this.place.persist) {
      this.session = sessionOf(entries, this.session.file);
      return undefined;
    }
    const path = join(this.place.sessionDir, fileNameOf(header));
    const next = sessionOf(entries, SessionFile.planned(path));
    if (copied.some(isConversation)) next.file = SessionFile.created(path, entries);
    this.session = next;
    return path;
  }
}

/** The folder a caller names, or pi's folder for the working directory, which is created. */
function folderFor(cwd: string, sessionDir: string | undefined): string {
  return sessionDir ? normalizePath(sessionDir) : getDefaultSessionDir(cwd);
}

/** A folder other than pi's own for `cwd` may hold sessions of many working directories. */
function searchIn(cwd: string, sessionDir: string | undefined): { dir: string; onlyCwd: string | undefined } {
  const dir = folderFor(cwd, sessionDir);
  const isShared = sessionDir !== undefined && !pathsEqual(dir, defaultSessionDirPath(cwd));
  return { dir, onlyCwd: isShared ? cwd : undefined };
}

function cwdOf(read: ReadFile | undefined): string | undefined {
  const header = read && headerOf(read);
  return header && headerCwd(header);
}

function ensureFolder(dir: string): void {
  if (!existsSync(dir)) makeFolder(dir);
}
