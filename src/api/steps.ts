import { setImmediate, setTimeout } from "node:timers/promises";
import { isSqliteBusy, SessionDbError } from "../errors.ts";
import type { Scan } from "../indexing/scan.ts";
import type { SyncRun } from "../indexing/sync-run.ts";
import type { TextSink } from "../indexing/text-sink.ts";
import { Interrupted } from "../runtime/cancellation.ts";
import type { Index } from "../store/open.ts";
import { dataVersion } from "../store/statements.ts";
import type { ApiContext, ProgressView } from "./api-context.ts";
import { isExcludedBy } from "./exclusions.ts";

/** Work on the index that shows its progress and that a signal ends. */
export interface Work {
  api: ApiContext;
  index: Index;
  progress: ProgressView;
  signal: AbortSignal;
}

export interface StepOptions {
  rebuild?: boolean;
  /** The files as they were a moment ago, if the caller has looked already. */
  scan?: Scan | undefined;
  /** How long, in ms, to wait for another writer that makes no progress; by default two seconds. */
  patienceMs?: number;
  /** Whether it is done for a question, which can be answered from the index as it stands. */
  isQuestion?: boolean;
  /** Given the texts of what is read. */
  texts?: TextSink;
  /** Called after each step that did not complete the work; true ends it. */
  mayStop?: (run: SyncRun) => Promise<boolean>;
}

/** For a question, in ms. */
export const QUESTION_PATIENCE_MS = 2000;
/** Where all rows, or the whole full text, are needed, in ms. */
export const PATIENCE_MS = 30_000;
/** An answer may lack a little that is new. If more than this share is missing it would be wrong: waiting is better. */
export const TOLERATED_SHARE = 0.05;

/**
 * Brings the rows up to date step by step, so that progress shows and the signal is heard between the steps.
 *
 * @throws Interrupted; SessionDbError `busy` when another process keeps writing
 */
export async function syncRows(work: Work, options: StepOptions = {}): Promise<SyncRun> {
  const { api, index, progress } = work;
  // Loaded here: usually there is nothing to read, and then it is not needed.
  const { LOOK_AGAIN_MS, SyncRun } = await import("../indexing/sync-run.ts");
  const run = new SyncRun(index, api.config.roots, {
    rebuild: options.rebuild ?? false,
    isExcluded: isExcludedBy(api.config),
    ...(options.scan && { scan: options.scan }),
    ...(options.texts && { texts: options.texts }),
    onProgress: (report) => progress.update(report),
  });
  await stepThrough(run, work, { ...options, lookAgainMs: LOOK_AGAIN_MS });
  return run;
}

async function stepThrough(
  run: SyncRun,
  { api, index, progress, signal }: Work,
  {
    mayStop,
    lookAgainMs,
    patienceMs = QUESTION_PATIENCE_MS,
    isQuestion = false,
  }: StepOptions & { lookAgainMs: number },
): Promise<void> {
  const { clock } = api;
  for (let movedAt = clock(), others = commitsOfOthers(index, 0); ; ) {
    const state = tryStep(run);
    if (state === "done") {
      if (!run.lookAgain()) return;
      await setTimeout(lookAgainMs);
    }
    await breathe(progress, signal);
    if (await mayStop?.(run)) return;
    const before = others;
    others = commitsOfOthers(index, before);
    if (state !== "busy" || others !== before) movedAt = clock();
    else if (clock() - movedAt > patienceMs) throw busy({ isQuestion });
  }
}

/** Draws the progress, and lets timers and signals have their turn. @throws Interrupted */
export async function breathe(progress: ProgressView, signal: AbortSignal): Promise<void> {
  await progress.draw();
  await setImmediate();
  if (signal.aborted) throw new Interrupted();
}

function tryStep(run: SyncRun): "more" | "done" | "busy" {
  try {
    return run.step() ? "more" : "done";
  } catch (error) {
    if (isSqliteBusy(error)) return "busy";
    throw error;
  }
}

/**
 * A number that changes when another process has written to the index; `before` where that process blocks even reading.
 */
function commitsOfOthers({ database }: Index, before: number): number {
  try {
    return dataVersion(database);
  } catch (error) {
    if (isSqliteBusy(error)) return before;
    throw error;
  }
}

/** The error when another process blocks writing. */
export function busy({ isQuestion }: Pick<StepOptions, "isQuestion">): SessionDbError {
  const otherwise = isQuestion ? " With --no-sync you get an answer from the index as it stands." : "";
  return new SessionDbError("busy", "another process is writing to the index", {
    hint: `Try again in a moment.${otherwise}`,
  });
}
