import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { codeOf, isSqliteError, isSystemError, messageOf, SessionDbError } from "../../errors.ts";
import { type Moved, packAway, unpackTo, usualCodec, verifyPacked } from "../../files/archive-file.ts";
import { packedFileOf, placesInArchive } from "../../files/archive-place.ts";
import { type Covered, coveredIn, finishMoves, packedFilesOf } from "../../files/archive-walk.ts";
import { makeFolder } from "../../files/folder.ts";
import { archiveOf, insideOf, isWithin } from "../../files/session-path.ts";
import type { Session } from "../../reports/answers.ts";
import { Interrupted } from "../../runtime/cancellation.ts";
import { type FileLock, takeLock } from "../../store/lock.ts";
import type { ApiContext } from "../api-context.ts";
import { askIndex } from "../ask.ts";

/** A session that was moved into the archive, or back. */
interface MovedSession extends Moved {
  session: Session;
  /** Where it is packed, or was. */
  packed: string;
}

/** What became of the sessions that were to be moved. */
export interface MoveOutcome {
  moved: MovedSession[];
  failed: { session: Session; why: string }[];
}

/** A session that was written to within this time may be open in pi. */
const JUST_NOW_MS = 60 * 60_000;
const LOCK_WAIT_MS = 0;

/** Why a session cannot be archived just now; null where it can. `now`: Unix ms. */
export function whyNotArchived({ path }: Session, roots: readonly string[], now: number): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "its file is gone";
  if (!stats.isFile() || stats.nlink > 1) return "a link, or a file with several names";
  if (Math.abs(now - stats.mtimeMs) < JUST_NOW_MS) return "written to within the last hour";
  const root = roots.find((each) => isWithin(each, path));
  if (root === undefined) return "below no folder of sessions";
  const isReachedByLink =
    realpathSync(dirname(path)) !== dirname(insideOf(realpathSync(root)) + path.slice(insideOf(root).length));
  return isReachedByLink ? "reached by a link" : null;
}

/**
 * Packs the files of sessions into the archive, one by one; each is removed from its folder once its packed file was read
 * back and compared. Then the index follows.
 *
 * @throws SessionDbError `busy` where another process moves sessions; Interrupted between two files
 */
export function archiveSessions(
  api: ApiContext,
  sessions: readonly Session[],
  now: () => number,
): Promise<MoveOutcome> {
  const { roots } = api.config;
  return moveAll(api, sessions, (session) => {
    const [place] = placesInArchive(session.path, roots);
    const why = whyNotArchived(session, roots, now());
    if (place === undefined || why !== null)
      throw new SessionDbError("io", why ?? "below no folder of sessions");
    const packed = packedFileOf(session.path, roots) ?? `${place}.${usualCodec()}`;
    return { session, packed, ...packAway(session.path, packed) };
  });
}

/** Puts archived sessions back where they were, byte for byte. Then the index follows. @throws as `archiveSessions` */
export function restoreSessions(api: ApiContext, sessions: readonly Session[]): Promise<MoveOutcome> {
  return moveAll(api, sessions, (session) => {
    const packed = packedFileOf(session.path, api.config.roots);
    if (packed === null) throw new SessionDbError("not_found", "its file is not in the archive any more");
    return { session, packed, ...unpackTo(session.path, packed) };
  });
}

/** Archived sessions in whose place another file lies: no question and no `restoreSessions` reaches them. */
export function coveredSessions({ config }: ApiContext): Covered[] {
  return coveredIn(config.roots);
}

async function moveAll(
  api: ApiContext,
  sessions: readonly Session[],
  move: (session: Session) => MovedSession,
): Promise<MoveOutcome> {
  const outcome: MoveOutcome = { moved: [], failed: [] };
  const holds = (root: string) => sessions.some(({ path }) => isWithin(root, path));
  // Where nothing is to be moved, something may still have to be ended.
  const roots = api.config.roots.filter((root) => existsSync(archiveOf(root)) || holds(root));
  const locks = lockArchives(roots);
  try {
    finishMoves(roots);
    await api.interruptible((signal) => moveEach(api, sessions, { outcome, move, signal }));
  } finally {
    for (const lock of locks) lock.release();
  }
  if (outcome.moved.length > 0) {
    await askIndex(
      api,
      { sync: true, needs: { search: false, rows: "all readable", acts: true } },
      () => undefined,
    );
  }
  return outcome;
}

interface Moving {
  outcome: MoveOutcome;
  move: (session: Session) => MovedSession;
  signal: AbortSignal;
}

async function moveEach(
  api: ApiContext,
  sessions: readonly Session[],
  { outcome, move, signal }: Moving,
): Promise<void> {
  const total = sessions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const progress = await api.progress();
  let done = 0;
  try {
    for (const session of sessions) {
      // Signals are heard between the turns of the event loop.
      await setImmediate();
      if (signal.aborted) throw new Interrupted("each session lies where it was, or where it was to go");
      try {
        outcome.moved.push(move(session));
      } catch (error) {
        if (!(error instanceof SessionDbError || isSystemError(error))) throw error;
        outcome.failed.push({ session, why: whyOf(error) });
      }
      done += session.sizeBytes;
      progress.update({ phase: "move", done, total });
      await progress.draw();
    }
  } finally {
    progress.stop();
  }
}

function whyOf(error: unknown): string {
  return codeOf(error) === "ENOSPC" ? "there is no space left on the disk (ENOSPC)" : messageOf(error);
}

/** Null while another process has it. @throws SessionDbError `io` */
function lockArchive(folder: string): FileLock | null {
  try {
    makeFolder(folder, 0o700);
    return takeLock(join(folder, ".lock"), LOCK_WAIT_MS);
  } catch (error) {
    const cause = error instanceof SessionDbError ? error.cause : error;
    if (!isSystemError(cause) && !isSqliteError(cause)) throw error;
    throw new SessionDbError("io", `the archive cannot be written to (${codeOf(cause)}): ${folder}`, {
      cause,
      hint: "It is a folder, or a link to one, on a disk that is there and has room.",
    });
  }
}

/** @throws SessionDbError `busy`, `io` */
function lockArchives(roots: readonly string[]): FileLock[] {
  const locks: FileLock[] = [];
  for (const root of roots) {
    const folder = archiveOf(root);
    const lock = lockArchive(folder);
    if (lock !== null) locks.push(lock);
    else {
      for (const held of locks) held.release();
      throw new SessionDbError("busy", `another process moves sessions to or from ${folder}`, {
        hint: "Try again when it is done.",
      });
    }
  }
  return locks;
}

/** What was found of the packed files of an archive. */
export interface ArchiveCheck extends Moved {
  checked: number;
  broken: { path: string; what: string }[];
}

/** Reads every packed file back, and compares it with the checksum of what was packed. @throws Interrupted */
export async function verifyArchive(api: ApiContext): Promise<ArchiveCheck> {
  const files = api.config.roots.filter((root) => existsSync(archiveOf(root))).flatMap(packedFilesOf);
  const found: ArchiveCheck = { checked: files.length, bytes: 0, packedBytes: 0, broken: [] };
  const progress = await api.progress();
  await api.interruptible(async (signal) => {
    for (const [place, path] of files.entries()) {
      await setImmediate();
      if (signal.aborted) throw new Interrupted("nothing was changed");
      try {
        const { bytes, packedBytes } = verifyPacked(path);
        found.bytes += bytes;
        found.packedBytes += packedBytes;
      } catch (error) {
        if (!(error instanceof SessionDbError || isSystemError(error))) throw error;
        found.broken.push({ path, what: messageOf(error) });
      }
      progress.update({ phase: "verify", done: place + 1, total: files.length });
      await progress.draw();
    }
  });
  progress.stop();
  return found;
}
