import { isSqliteBusy, SessionDbError } from "../errors.ts";
import { filesNotRead } from "../indexing/known-issues.ts";
import type { Scan } from "../indexing/scan.ts";
import type { SyncResult } from "../indexing/sync-run.ts";
import type { TextSink } from "../indexing/text-sink.ts";
import type { Index } from "../store/open.ts";
import type { ApiContext } from "./api-context.ts";
import { isExcludedBy } from "./exclusions.ts";
import type { Work } from "./steps.ts";

/** How long a question waits for the index to catch up, unless too much is missing. */
const BUDGET_MS = 2000;
/** So many missing bytes are a little, whatever their share. */
const TOLERATED_BYTES = 4 * 1024 * 1024;
/** So much is read faster where the texts are handed to the thread that makes them searchable, which takes a while to begin. */
const MUCH_BYTES = 16 * 1024 * 1024;
/** When the first part of an answer comes. */
const PART_MS = 4000;

/** What the index must hold before it is asked. */
export interface Needs {
  /** Whether the full text is needed, too. */
  search: boolean;
  /**
   * By default nearly all rows are enough: an answer says what is missing. Acting on the session that a name stands for
   * takes all rows: those of the files that can be read, or of all files.
   */
  rows?: "nearly all" | "all readable" | "all";
  /**
   * Called where the answer is about the newest sessions only, because reading all of them takes longer than somebody wants
   * to wait for a first answer. Without it, all are waited for.
   */
  onPart?: () => void;
  /** Whether something is done to the sessions that are found; such a command takes no `--no-sync`. */
  acts?: boolean;
}

/**
 * Brings the index up to date: as far as that gets in `BUDGET_MS` where nearly all rows are enough, else to the end.
 *
 * @throws SessionDbError `busy`, where all rows are needed also while files are being rewritten; `io` when files that
 *   are needed cannot be read; Interrupted
 */
export async function catchUp(api: ApiContext, index: Index, needs: Needs): Promise<void> {
  const deadline = api.clock() + BUDGET_MS;
  const scan = await lookQuickly(api, index, needs);
  if (scan === "nothing new" && !needs.search) return;
  const progress = await api.progress();
  try {
    await api.interruptible(async (signal) => {
      const work = { api, index, progress, signal };
      const until = needs.onPart === undefined ? Number.POSITIVE_INFINITY : deadline - BUDGET_MS + PART_MS;
      if (scan !== "nothing new") {
        const rows = (texts?: TextSink) => catchUpRows(work, { needs, scan, deadline, until, texts });
        if (needs.search && isMuchToRead(scan)) await withTexts(work, rows, until);
        else await rows();
      }
      if (!needs.search) return;
      // Only `search` needs the full text, and the modules that fill it.
      const { catchUpSearch } = await import("./full-text.ts");
      await catchUpSearch(work, { deadline, until, ...needs });
    });
  } finally {
    progress.stop();
  }
}

function isMuchToRead(scan: Scan | undefined): boolean {
  const bytes = scan?.due.reduce((sum, due) => sum + due.bytes, 0) ?? 0;
  return bytes > MUCH_BYTES;
}

/** Reads each file once for both, the rows and the full text. */
async function withTexts(work: Work, rows: (texts: TextSink) => Promise<void>, until: number): Promise<void> {
  const { withFeed } = await import("./full-text.ts");
  await withFeed(work, rows, { isQuestion: true, until });
}

interface CatchUp {
  needs: Needs;
  scan: Scan | undefined;
  /** Steady ms: from then on nearly all rows are enough. */
  deadline: number;
  /** Steady ms: from then on any are. */
  until: number;
  texts?: TextSink | undefined;
}

async function catchUpRows(work: Work, { needs, scan, deadline, until, texts }: CatchUp): Promise<void> {
  const { api } = work;
  // Loaded here, as the modules below: usually nothing is new, and then none of them is needed.
  const { PATIENCE_MS, syncRows } = await import("./steps.ts");
  const needsAll = isForAll(needs);
  let tooMuch = needsAll;
  const run = await syncRows(work, {
    scan,
    isQuestion: !needs.acts,
    ...(texts && { texts }),
    ...(needsAll && { patienceMs: PATIENCE_MS }),
    mayStop: async (running) => {
      if (api.clock() >= until) return true;
      if (tooMuch || api.clock() < deadline) return false;
      tooMuch = await isTooMuch(running.result(), work);
      return !tooMuch;
    },
  });
  const { complete, behindBytes, troubles } = run.result();
  tellUnread(
    api,
    needs,
    troubles.filter(({ kind }) => kind === "unreadable" || kind === "failed"),
  );
  const vanished = troubles.filter(({ kind }) => kind === "vanished").length;
  if (vanished > 0) api.note({ kind: "vanished", count: vanished });
  if (complete) return;
  if (needsAll) throw notYetReadable();
  if (api.clock() >= until) return needs.onPart?.();
  api.note({ kind: "behind", bytes: behindBytes });
}

/** Whether no row may be missing. */
export function isForAll({ rows = "nearly all" }: Needs): boolean {
  return rows !== "nearly all";
}

/** Notes files that were not read; of roots there is a note already. @throws SessionDbError `io` where all are needed */
function tellUnread(
  { config, note }: ApiContext,
  { rows }: Needs,
  unread: readonly { path: string }[],
): void {
  const [first] = unread;
  if (rows !== "all" || first === undefined) {
    const count = unread.filter(({ path }) => !config.roots.includes(path)).length;
    if (count > 0) note({ kind: "unreadable", count });
    return;
  }
  const count = unread.length.toLocaleString("en");
  const what = unread.length === 1 ? first.path : `${count} paths, such as ${first.path},`;
  throw new SessionDbError("io", `${what} cannot be read, and may hold the session you mean`, {
    hint: "Name the session by its path; sessiondb sync shows what is wrong.",
  });
}

function notYetReadable(): SessionDbError {
  return new SessionDbError("busy", "some session files cannot be read at the moment", {
    hint: "They are being rewritten, or too many files are open: try again in a moment.",
  });
}

/** Undefined when another process blocks even reading: `syncRows` waits for it. */
async function lookQuickly(
  api: ApiContext,
  index: Index,
  needs: Needs,
): Promise<Scan | undefined | "nothing new"> {
  const { location, roots, exclude } = api.config;
  const { isKeptUpToDate, socketPathOf, strangerAt } = await import("../indexing/freshness-client.ts");
  const socket = socketPathOf(location, api.daemon.runtimeDir);
  const stranger = socket && strangerAt(socket);
  if (stranger) api.note({ kind: "stranger", ...stranger });
  if (await isKeptUpToDate(location, { roots, exclude, ...api.daemon })) {
    tellUnread(api, needs, filesNotRead(index.database, roots));
    return "nothing new";
  }
  const isExcluded = isExcludedBy(api.config);
  // Loaded here: with --no-sync nothing of it is needed.
  const { isAllAsItWas, scanRoots } = await import("../indexing/scan.ts");
  try {
    const scan = scanRoots(index.database, roots, { isExcluded });
    if (!isAllAsItWas(scan, roots, isExcluded)) return scan;
    tellUnread(api, needs, [...scan.unreadable, ...filesNotRead(index.database, roots)]);
    return "nothing new";
  } catch (error) {
    if (isSqliteBusy(error)) return undefined;
    throw error;
  }
}

async function isTooMuch({ behindBytes }: SyncResult, { api, index }: Work): Promise<boolean> {
  if (behindBytes === 0) return false;
  // Loaded here: rarely needed, and it loads the calendar.
  const { readCounts } = await import("../reports/status.ts");
  const { TOLERATED_SHARE } = await import("./steps.ts");
  const { sessions, sizeBytes } = readCounts(index, api.config.roots);
  const share = behindBytes / (behindBytes + sizeBytes);
  return sessions === 0 || (share > TOLERATED_SHARE && behindBytes > TOLERATED_BYTES);
}
