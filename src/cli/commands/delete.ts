import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Chosen, Removal } from "../../api/removals.ts";
import { messageOf, SessionDbError } from "../../errors.ts";
import { tildePath } from "../../files/paths.ts";
import type { Session } from "../../reports/answers.ts";
import { subagentsText } from "../../text/family.ts";
import { formatBytes, formatMoney, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { apiOf } from "../api-of.ts";
import { isSet, textsOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { nameOptionsOf, SESSION_WORDS, whichSession } from "../command-line/session-argument.ts";
import { shownWhen } from "../output/fields.ts";
import { printDocument } from "../output/json-output.ts";
import { shownTitle } from "../output/shown-title.ts";
import { askYesNo, assertCanAsk } from "../terminal/ask-yes-no.ts";
import { withIndex } from "../with-index.ts";

/** A session that was written to within this time may be open in pi. */
const JUST_NOW_MS = 60_000;
const INDENT = "  ";

export const deleteSessions: Command = {
  positionals: { session: `${SESSION_WORDS}; several are allowed` },
  completes: "sessions",
  options: {
    yes: { alias: "y", describe: "Do not ask for confirmation" },
    family: { describe: "Also the sessions of its sub-agents, and the folder with what they left" },
  },
  examples: [
    ["$0 delete 01a1bfc2", "ask, then move the file to the trash"],
    ["$0 delete 01a1bfc2 01a1221b --yes", "two at once, without asking"],
  ],
  async run(context, args) {
    const names = textsOf(args, "session");
    if (names.length === 0) throw whichSession("delete");
    const { assertMayRemove, isUnfinishedCopy } = await import("../../api/remove.ts");
    const copies = names
      .map((name) => resolve(context.world.cwd ?? "", name))
      .filter((path) => isUnfinishedCopy(path) && existsSync(path));
    if (copies.length === names.length) return deleteCopies(context, copies, isSet(args, "yes"));
    const { isPathOfFile, resolveSession } = await import("../../filters/resolve-session.ts");
    const { chosenSession } = await import("../../api/removals.ts");
    const naming = nameOptionsOf(context);
    const rows = names.every((name) => isPathOfFile(name, naming)) ? "nearly all" : "all";
    const chosen = await withIndex(context, args, { search: false, rows, acts: true }, (index) => {
      const ids = names.map((name) => resolveSession(index, name, naming).fileId);
      return [...new Set(ids)].flatMap((id) => chosenSession(index, id, context.config.roots) ?? []);
    });
    await assertMayRemove(apiOf(context));
    const family = isSet(args, "family");
    if (!isSet(args, "yes") && !(await isSure(context, chosen, family))) {
      context.talk.say("Nothing was deleted.");
      return ExitCode.failed;
    }
    return deleteAll(context, chosen, family);
  },
};

async function isSure(context: Context, chosen: readonly Chosen[], family: boolean): Promise<boolean> {
  const { world, talk } = context;
  assertCanAsk(world, "delete");
  for (const each of chosen)
    talk.print([...describe(context, each.session), ...relatives(context, each, family)]);
  const what = chosen.length === 1 ? "this session" : `these ${plural(chosen.length, "session")}`;
  return askYesNo(context, `Move ${what}${family ? " and what belongs to it" : ""} to the trash?`);
}

/** Lines about what belongs to a session, and what becomes of it. */
function relatives({ talk, world }: Context, { subagents, folder }: Chosen, family: boolean): string[] {
  if (subagents.length === 0 && folder === null) return [];
  const cost = subagents.reduce((sum, { usage, inherited }) => sum + usage.cost - inherited.cost, 0);
  const parts = [
    subagentsText({ sessions: subagents.length, cost }),
    folder === null ? "" : `the folder ${oneLine(tildePath(folder, world.home))}`,
  ].filter(Boolean);
  const what = `${parts.join(" and ")}: ${family ? "goes to the trash, too" : "stays; --family takes it along"}`;
  return wrapWords(what, talk.width && talk.width - INDENT.length).map((line) =>
    talk.paint.yellow(INDENT + line),
  );
}

function describe(context: Context, session: Session): string[] {
  const { talk, world } = context;
  const { bold, dim, yellow } = talk.paint;
  const facts = [
    tildePath(session.cwd, world.home),
    plural(session.messageCount, "message"),
    session.usage.cost === 0 ? "" : formatMoney(session.usage.cost),
    formatBytes(session.sizeBytes),
    shownWhen(context, session.modifiedAt),
  ];
  const below = (text: string): string[] =>
    wrapWords(text, talk.width && talk.width - INDENT.length).map((line) => INDENT + line);
  const isFresh = Math.abs(world.now() - Date.parse(session.modifiedAt)) < JUST_NOW_MS;
  return [
    ...wrapWords(shownTitle(session), talk.width).map(bold),
    ...below(facts.filter(Boolean).map(oneLine).join(" · ")).map(dim),
    dim(INDENT + oneLine(tildePath(session.path, world.home))),
    ...(isFresh ? below("It was written to just now: is it open in pi?").map(yellow) : []),
  ];
}

/** Sessions that were moved to the trash leave the index, even when a later file cannot be moved there. */
async function deleteAll(context: Context, chosen: readonly Chosen[], family: boolean): Promise<number> {
  const { removalsOf } = await import("../../api/removals.ts");
  const { removed, failure } = await moveAll(context, removalsOf(chosen, family));
  const deleted = removed.flatMap(({ sessions }) => sessions);
  const documents = deleted.map(({ id, path, title }) => ({ id, path, title }));
  const folders = removed
    .map(({ path }) => path)
    .filter((path) => chosen.some(({ folder }) => folder === path));
  if (context.json) printDocument(context.out, { deleted: documents, folders });
  if (!family) for (const each of chosen) context.talk.print(relatives(context, each, family));
  const wasInterrupted = await drop(context, deleted).catch((error: unknown) => {
    // The failed move is the error to report: the index will notice by itself that files are gone.
    throw failure ?? error;
  });
  if (failure !== null) throw failure;
  return wasInterrupted ? ExitCode.interrupted : ExitCode.done;
}

/** Moves up to the first that cannot be moved. */
async function moveAll(
  context: Context,
  removals: readonly Removal[],
): Promise<{ removed: Removal[]; failure: unknown }> {
  const { talk, world } = context;
  const removed: Removal[] = [];
  for (const removal of removals) {
    try {
      await moveToTrash(context, removal.path);
    } catch (failure) {
      return { removed, failure };
    }
    removed.push(removal);
    talk.say(`Moved to the trash: ${oneLine(tildePath(removal.path, world.home))}`);
    // A copy has the words of the session, too.
    const { unfinishedCopiesOf } = await import("../../api/remove.ts");
    for (const copy of removal.sessions.flatMap(unfinishedCopiesOf)) {
      if (existsSync(copy)) await moveToTrash(context, copy);
    }
  }
  return { removed, failure: null };
}

async function deleteCopies(context: Context, copies: readonly string[], isSaid: boolean): Promise<number> {
  const { world, talk } = context;
  const shown = copies.map((path) => oneLine(tildePath(path, world.home)));
  if (!isSaid) {
    talk.print(shown);
    assertCanAsk(world, "delete");
    if (
      !(await askYesNo(
        context,
        `Move ${plural(copies.length, "unfinished copy", "unfinished copies")} to the trash?`,
      ))
    )
      return ExitCode.failed;
  }
  for (const path of copies) await moveToTrash(context, path);
  if (context.json)
    printDocument(context.out, { deleted: copies.map((path) => ({ id: null, path, title: null })) });
  for (const path of shown) talk.say(`Moved to the trash: ${path}`);
  return ExitCode.done;
}

async function drop(context: Context, deleted: readonly Session[]): Promise<boolean> {
  if (deleted.length === 0) return false;
  const { removeFromIndex } = await import("../../api/remove.ts");
  return removeFromIndex(
    apiOf(context),
    deleted.map(({ path }) => path),
  );
}

async function moveToTrash({ world }: Context, path: string): Promise<void> {
  // The trash reports no error for a missing file.
  if (!existsSync(path)) throw gone(path, undefined);
  try {
    await world.moveToTrash(path);
  } catch (error) {
    if (!existsSync(path)) throw gone(path, error);
    throw new SessionDbError("io", `${path} cannot be moved to the trash: ${messageOf(error)}`, {
      hint: "It stays where it is. If this system has no trash, remove the file yourself.",
      cause: error,
    });
  }
}

function gone(path: string, cause: unknown): SessionDbError {
  return new SessionDbError("not_found", `${path} no longer exists`, {
    hint: "It was deleted or moved in the meantime; sessiondb list shows the sessions there are.",
    cause,
  });
}
