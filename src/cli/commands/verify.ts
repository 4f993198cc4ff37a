import type { CheckedFile, Verification } from "../../query/verify/verify.ts";
import { explainRows } from "../../store/diagnose.ts";
import { lossMark } from "../../store/epoch.ts";
import { type Index, openIndex } from "../../store/open.ts";
import { type Args, isSet, textsOf } from "../args.ts";
import { catchUpSearch } from "../catch-up.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { isExcludedBy } from "../exclusions.ts";
import { noteEmptied, noteMissingRoots } from "../notes.ts";
import { printDocument } from "../output/json.ts";
import { formatMoney, plural } from "../output/numbers.ts";
import { ProgressBars } from "../output/progress.ts";
import { oneLine } from "../output/sanitise.ts";
import { nameOptionsOf, SESSION_WORDS } from "../session-name.ts";
import { breathe, syncRows, type Work } from "../steps.ts";
import { ATTEMPTS, INDEX_OPTIONS } from "../with-index.ts";

export const verify: Command = {
  completes: "sessions",
  positionals: { session: `${SESSION_WORDS} [default: all sessions]` },
  options: INDEX_OPTIONS,
  examples: [
    ["$0 verify", "every entry and every cent of the index, against the files"],
    ["$0 verify latest --no-sync", "one session, without catching up first"],
  ],
  async run(context, args) {
    const { checked, entries, cost, differences } = await verified(context, args);
    const ok = differences.length === 0;
    if (context.json) printDocument(context.out, { ok, checked, entries, cost, differences });
    else context.out.print(differences.map(({ path, what }) => `${oneLine(path)}: ${oneLine(what)}`));
    printSummary(context, { checked, entries, cost, differences });
    return ok ? ExitCode.done : ExitCode.failed;
  },
};

async function verified(context: Context, args: Args): Promise<Verification> {
  const { config, world, talk } = context;
  const readonly = isSet(args, "no-sync");
  if (!readonly) noteMissingRoots(context);
  const index = openIndex(config.location, { readonly });
  const bars = new ProgressBars(talk, world);
  try {
    if (!readonly) noteEmptied(context, index, { search: true });
    return await world.interruptible(async (signal) => {
      const work = { context, index, bars, signal };
      return readonly ? check(work, args, undefined) : verifiedUpToDate(work, args);
    });
  } catch (error) {
    throw explainRows(error, index);
  } finally {
    bars.stop();
    index.close();
  }
}

async function verifiedUpToDate(work: Work, args: Args): Promise<Verification> {
  for (let attempt = 1; ; attempt++) {
    const losses = await catchUpWholly(work);
    const found = await checkTwice(work, args);
    if (attempt === ATTEMPTS || lossMark(work.index.database) === losses) return found;
  }
}

async function checkTwice(work: Work, args: Args): Promise<Verification> {
  const first = await check(work, args, undefined);
  if (first.differences.length === 0) return first;
  // Sessions that are being written go on growing, so differences are checked once more.
  await catchUpWholly(work);
  return check(work, args, first);
}

/** Brings the index up to date, and returns its `lossMark` of that moment. */
async function catchUpWholly(work: Work): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const losses = lossMark(work.index.database);
    await syncRows(work);
    await catchUpSearch(work, Number.POSITIVE_INFINITY);
    if (attempt === ATTEMPTS || lossMark(work.index.database) === losses) return losses;
  }
}

/**
 * Checks what was asked for. After a `first` check only what differed in it, so sessions begun meanwhile do not count.
 */
async function check(work: Work, args: Args, first: Verification | undefined): Promise<Verification> {
  const { index, context, bars, signal } = work;
  const { Verifier } = await import("../../query/verify/verify.ts");
  const names = textsOf(args, "session");
  const asked = names.length === 0 ? undefined : await filesNamed(context, index, names);
  const differed = first && new Set(first.differences.map(({ path }) => path));
  const files = asked ?? (await allFiles(context, index));
  const chosen = differed === undefined ? files : files.filter(({ path }) => differed.has(path));
  const verifier = new Verifier(index);
  const total = chosen.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  try {
    for (const file of chosen) {
      verifier.file(file);
      done += file.size;
      bars.update({ phase: "files", done, total });
      await breathe(bars, signal);
    }
  } finally {
    verifier.close();
  }
  verifier.counted(asked);
  if (asked === undefined) verifier.presence(context.config.roots, isExcludedBy(context.config));
  const { differences } = verifier.result;
  if (first === undefined) return verifier.result;
  // The numbers are those of the first check, which counted everything.
  return { ...first, differences: differences.filter(({ path }) => differed?.has(path)) };
}

async function allFiles({ config }: Context, index: Index): Promise<CheckedFile[]> {
  const { checkedFiles } = await import("../../query/verify/verify.ts");
  return checkedFiles(index, config.roots);
}

/** The files that are named, in that order, each once. */
async function filesNamed(context: Context, index: Index, names: readonly string[]): Promise<CheckedFile[]> {
  const { resolveSession } = await import("../../query/session-name.ts");
  const { checkedFiles } = await import("../../query/verify/verify.ts");
  const known = new Map(checkedFiles(index).map((file) => [file.fileId, file]));
  const ids = names.map((name) => resolveSession(index, name, nameOptionsOf(context)).fileId);
  return [...new Set(ids)].flatMap((id) => known.get(id) ?? []);
}

function printSummary({ talk }: Context, { checked, entries, cost, differences }: Verification): void {
  const { green, red } = talk.paint;
  const what = `${plural(checked, "session")}, ${plural(entries, "entry", "entries")} and ${cost === 0 ? "no cost" : formatMoney(cost)}`;
  if (differences.length === 0) {
    talk.say(`${what}: the index matches the files.`, green);
    return;
  }
  talk.say(`${what}: ${plural(differences.length, "difference")}.`, red);
  talk.say("sessiondb sync --rebuild rebuilds the index from the files that can be read.");
}
