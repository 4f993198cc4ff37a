import { SessionDbError } from "../errors.ts";
import { realPathOrNull } from "../files/paths.ts";
import { isWithinAny } from "../files/session-path.ts";
import { Interrupted } from "../runtime/cancellation.ts";
import type { Index } from "../store/open.ts";
import type { TeamClient } from "./connect.ts";
import type { PushedFile } from "./push-cursor.ts";
import {
  type BatchOptions,
  batchesOf,
  batchOf,
  helloOf,
  type PushBatch,
  type PushMessage,
  type PushOptions,
  removalsOf,
} from "./push-messages.ts";
import type { PushPiece } from "./push-pieces.ts";
import { type PushableFile, type PushPlan, planPush, pushableFiles } from "./push-plan.ts";
import { isOlder } from "./team-status.ts";

/** What a push has done. */
export interface PushReport {
  /** Session files of which something was sent, and that were taken out. */
  sent: number;
  removed: number;
  usageRows: number;
  /** Characters that were sent. */
  chars: number;
  /** Session files that are still to be sent: they have changed meanwhile, or cannot be. */
  waiting: number;
  /** Why some cannot be, a sentence each, without what they hold. */
  problems: string[];
}

/** How often it is looked again at what is left, because another process has pushed or the database holds something else. */
const ROUNDS = 3;
const ATTEMPTS = 8;

/**
 * Pushes what has changed since the last time. Whatever it is interrupted by, nothing is lost or sent in vain: the session files
 * are the queue.
 *
 * @throws SessionDbError as `teamError`, once trying again has not helped
 */
export async function push(index: Index, client: TeamClient, options: PushOptions): Promise<PushReport> {
  const report: PushReport = { sent: 0, removed: 0, usageRows: 0, chars: 0, waiting: 0, problems: [] };
  const left = new Set<string>();
  for (let round = 1; ; round++) {
    const { instance, plan } = await meet(index, client, {
      ...options,
      all: round === 1 && options.all === true,
    });
    report.waiting = plan.changed.length;
    plan.changed = plan.changed.filter(({ file }) => !left.has(file.file));
    if (plan.changed.length + plan.gone.length === 0 || round > ROUNDS) return report;
    await carryOut(index, client, { ...options, instance, plan, report, left });
  }
}

/** All that a push would send now, to the byte. */
export function* previewPush(index: Index, place: string, options: PushOptions): Generator<PushMessage> {
  const { cursor } = options;
  const plan = planFor(index, cursor.instanceAt(place), options);
  yield helloOf(plan, options);
  yield* removalsOf(plan.gone, cursor.device);
  yield* batchesOf(index, plan, { ...options, leave: () => undefined });
}

/** Says hello, and finds out what there is to do for the instance that answers. */
async function meet(
  index: Index,
  client: TeamClient,
  options: PushOptions,
): Promise<{ instance: string; plan: PushPlan }> {
  const { cursor, rules } = options;
  const known = cursor.instanceAt(client.place);
  const plan = planFor(index, known, options);
  const met = (await call(client, helloOf(plan, options), options)) as Met;
  if (isOlder(rules.client, met.oldest_client))
    throw new SessionDbError("refused", `the team's database wants sessiondb ${met.oldest_client} or newer`, {
      hint: `This is ${rules.client}.`,
    });
  const { instance } = met;
  cursor.noteInstance(client.place, instance);
  const remembered = [...cursor.pushedTo(instance).values()];
  const bytes = remembered.reduce((sum, { pushed }) => sum + pushed, 0);
  const isRemembered = remembered.length === met.sessions && bytes === met.pushed;
  if (isRemembered && instance === known) return { instance, plan };
  if (!isRemembered) await remember(client, instance, options);
  return { instance, plan: planFor(index, instance, options) };
}

interface Met {
  instance: string;
  oldest_client: string;
  /** What the database holds of this device. */
  sessions: number;
  pushed: number;
}

/** Notes what the database holds: more than is remembered after a kill, less after it was restored from a backup. */
async function remember(client: TeamClient, instance: string, { cursor }: PushOptions): Promise<void> {
  const held = await client.query<{ file: string; content: string; pushed: number }>(
    "SELECT file, content, pushed FROM sessiondb_team.held_v1($1)",
    [cursor.device],
  );
  const known = cursor.pushedTo(instance);
  const isHeld = new Set(held.map(({ file }) => file));
  cursor.forget(
    instance,
    [...known.keys()].filter((file) => !isHeld.has(file)),
  );
  const other = held.filter(({ file, content, pushed }) => {
    const before = known.get(file);
    return before?.content !== content || before.pushed !== pushed;
  });
  cursor.save(
    instance,
    other.map((each) => ({ ...each, path: known.get(each.file)?.path ?? "", state: "" })),
  );
}

function planFor(
  index: Index,
  instance: string | undefined,
  { rules, cursor, all = false }: PushOptions,
): PushPlan {
  const files = pushableFiles(index.database, rules);
  const isIndexed = index.database.prepare("SELECT 1 FROM files WHERE path = ?").pluck();
  return planPush(files, {
    pushed: cursor.pushedTo(instance),
    isIndexed: (path) => isIndexed.get(path) !== undefined,
    // By the path at which it was known, and by where that leads.
    isLookedAt: (path) =>
      isWithinAny(rules.roots, path) && ![path, realPathOrNull(path) ?? path].some(rules.isExcluded),
    roots: rules.roots,
    all,
  });
}

interface CarryingOut extends PushOptions {
  instance: string;
  plan: PushPlan;
  report: PushReport;
  /** Files that cannot be pushed: the others must not wait for them. */
  left: Set<string>;
}

async function carryOut(index: Index, client: TeamClient, given: CarryingOut): Promise<void> {
  const { cursor, instance, plan, report, signal } = given;
  for (const message of removalsOf(plan.gone, cursor.device))
    report.removed += Number(await call(client, message, given));
  cursor.forget(instance, plan.gone);
  const done = new Set<PushableFile>();
  const leave = ({ file, path }: PushableFile, error: SessionDbError): void => {
    given.left.add(file);
    report.problems.push(`${path}: ${error.message}`);
  };
  for (const batch of batchesOf(index, plan, { ...given, leave })) {
    if (signal?.aborted)
      throw new Interrupted("what was pushed is kept, and the next push goes on from there");
    for (const file of await carry(client, batch, { ...given, leave })) done.add(file);
  }
  report.sent += done.size;
}

/** Sends a batch; one that is not taken piece by piece, without the files that are at fault. Returns the files that were sent. */
async function carry(
  client: TeamClient,
  batch: PushBatch,
  given: CarryingOut & Pick<BatchOptions, "leave">,
): Promise<PushableFile[]> {
  const { cursor, instance, report } = given;
  try {
    const held = (await call(client, batch, given)) as { pushed: number; content: string | null }[];
    cursor.save(
      instance,
      batch.pieces.map(({ piece, file }, at) => noted(piece, file, held[at])),
    );
  } catch (error) {
    if (!(error instanceof SessionDbError) || error.code !== "sql") throw error;
    const [only] = batch.pieces;
    if (batch.pieces.length > 1) return carryEach(client, batch, given);
    if (only !== undefined) given.leave(only.file, error);
    return [];
  }
  report.usageRows += batch.pieces.reduce((sum, { piece }) => sum + piece.usage.length, 0);
  report.chars += batch.json.length;
  return batch.pieces.map(({ file }) => file);
}

async function carryEach(
  client: TeamClient,
  batch: PushBatch,
  given: CarryingOut & Pick<BatchOptions, "leave">,
): Promise<PushableFile[]> {
  const sent: PushableFile[] = [];
  for (const piece of batch.pieces) {
    if (given.left.has(piece.file.file)) continue;
    sent.push(...(await carry(client, batchOf([piece], given), given)));
  }
  return sent;
}

/** What is remembered of a file after a piece of it: what the database says that it holds. */
function noted(
  piece: PushPiece,
  file: PushableFile,
  held: { pushed: number; content: string | null } | undefined,
): PushedFile {
  const { pushed, content } = { pushed: 0, ...held, content: held?.content ?? "" };
  const isTaken = content === piece.content && pushed === piece.to;
  return {
    file: file.file,
    path: file.path,
    content,
    pushed,
    state: isTaken && piece.to === file.pushed ? file.state : "",
  };
}

const CALLS: Record<PushMessage["call"], string> = {
  hello_v1: "SELECT sessiondb_team.hello_v1($1::jsonb) AS answer",
  tombstone_v1: "SELECT sessiondb_team.tombstone_v1($1::jsonb) AS answer",
  push_sessions_v1: "SELECT sessiondb_team.push_sessions_v1($1::jsonb) AS answer",
};

/** Calls a function of the database, again and again while it is busy, after pauses that grow. */
async function call(
  client: TeamClient,
  { call: name, json }: PushMessage,
  { signal }: PushOptions,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      const [row] = await client.query<{ answer: unknown }>(CALLS[name], [json]);
      return row?.answer;
    } catch (error) {
      const isBusy = error instanceof SessionDbError && error.code === "busy";
      if (!isBusy || attempt === ATTEMPTS || signal?.aborted) throw error;
      // Not all at once again that have waited for the same.
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt * (0.5 + Math.random())));
    }
  }
}
