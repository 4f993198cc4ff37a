import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { askIndex } from "../../api/ask.ts";
import { SessionDbError } from "../../errors.ts";
import { htmlOf } from "../../export/html.ts";
import { isListName, type ListedPage, listPagesOf } from "../../export/list-page.ts";
import { type PageSubject, type PlannedPage, planPages, readPageSubject } from "../../export/pages.ts";
import { readExported } from "../../export/read-exported.ts";
import { tildePath } from "../../files/paths.ts";
import type { Filter } from "../../filters/filter.ts";
import { Cleaner, type Exported } from "../../render/exported-session.ts";
import { readPrompts } from "../../reports/prompts.ts";
import { Interrupted } from "../../runtime/cancellation.ts";
import type { Index } from "../../store/open.ts";
import { subagentsText } from "../../text/family.ts";
import { formatCount, formatMoney, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { formatMoment } from "../../time/calendar.ts";
import { apiOf } from "../api-of.ts";
import { type Args, isSet } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { packageFacts } from "../command-line/package.ts";
import { ProgressBars } from "../terminal/progress.ts";
import { withIndex } from "../with-index.ts";
import { explained, printNothing } from "./empty-answer.ts";
import { pagesIn, prepareFolder, stateOf } from "./page-folder.ts";
import { writePrivateFile } from "./save-export.ts";

/** What became of the pages of a folder. */
interface Outcome {
  written: number;
  upToDate: number;
  /** Secrets masked in what was written. */
  masked: number;
  /** Sentences about sessions without a page. */
  troubles: string[];
}

/** Troubles that are told; the rest is counted. */
const MOST_TROUBLES = 5;

/** Writes a page for each session that the filter leaves, and a list of them. Resolves to the exit code. */
export async function savePages(
  context: Context,
  args: Args,
  { folder, filter }: { folder: string; filter: Filter },
): Promise<number> {
  const { roots } = context.config;
  const { found: plan, unmatched } = await withIndex(context, args, { search: false }, (index) => {
    const found = planPages(index, { filter, roots });
    return explained(index, { filter, roots }, { found, isEmpty: found.length === 0 });
  });
  if (plan.length === 0) {
    printNothing(context, "No session matches; nothing was written.", unmatched);
    return ExitCode.done;
  }
  prepareFolder(folder);
  const outcome = await askIndex(apiOf(context), { sync: false, needs: { search: false } }, (index) =>
    context.world.interruptible((signal) =>
      new PageWriter(context, args, { index, folder, signal }).write(plan),
    ),
  );
  tell(context, folder, { plan, outcome });
  return outcome.troubles.length === 0 ? ExitCode.done : ExitCode.failed;
}

interface Place {
  index: Index;
  folder: string;
  signal: AbortSignal;
}

class PageWriter {
  readonly #place: Place;
  readonly #options;
  readonly #bars: ProgressBars;
  readonly #outcome: Outcome = { written: 0, upToDate: 0, masked: 0, troubles: [] };

  constructor(context: Context, args: Args, place: Place) {
    this.#place = place;
    const { version } = packageFacts();
    const { timezone, roots } = context.config;
    this.#options = { reveal: isSet(args, "reveal"), timezone, home: context.world.home, roots, version };
    this.#bars = new ProgressBars(context.talk, context.world);
  }

  /** @throws Interrupted between two files */
  async write(plan: readonly PlannedPage[]): Promise<Outcome> {
    const total = plan.reduce((sum, { subagents }) => sum + 1 + subagents.length, 0);
    try {
      const rows: ListedPage[] = [];
      for (const page of plan) {
        const [own] = await this.#writeFamily(page, total);
        if (own !== undefined) rows.push(own);
      }
      await this.#writeList(rows);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      throw new Interrupted(
        `${plural(this.#outcome.written, "page")} written, but not the list of them; the next run goes on with the others`,
      );
    } finally {
      this.#bars.stop();
    }
    return this.#outcome;
  }

  /** Those whose session is gone by now are left out. */
  async #writeFamily(page: PlannedPage, total: number): Promise<ListedPage[]> {
    const { index, signal } = this.#place;
    // Signals are heard between the turns of the event loop.
    await setImmediate();
    if (signal.aborted) throw new Interrupted();
    const subject = readPageSubject(index, page.path, this.#options);
    if (subject === undefined) return [];
    const file = await this.#writePage(page.file, subject);
    const { written, upToDate, troubles } = this.#outcome;
    this.#bars.update({ phase: "pages", done: written + upToDate + troubles.length, total });
    await this.#bars.draw();
    const subagents: ListedPage[] = [];
    for (const each of page.subagents) subagents.push(...(await this.#writeFamily(each, total)));
    return [{ ...this.#listed(subject), file, subagents }];
  }

  /** Resolves to the page's name; null where there is none. */
  async #writePage(file: string, subject: PageSubject): Promise<string | null> {
    const { folder, signal } = this.#place;
    const target = join(folder, file);
    const there = stateOf(target);
    if (there === "foreign") return this.#fail(`${target} was not written by this command, and stays`);
    if (there !== "nothing" && there.stamp === subject.stamp) {
      this.#outcome.upToDate++;
      return file;
    }
    const exported = this.#read(subject);
    if (typeof exported === "string") return this.#fail(exported);
    await writePrivateFile(target, htmlOf(exported, subject.stamp), signal);
    this.#outcome.written++;
    this.#outcome.masked += exported.clean.masked;
    return file;
  }

  /** The session, or why its file cannot be read. */
  #read(subject: PageSubject): Exported | string {
    try {
      return readExported(this.#place.index, subject, this.#options);
    } catch (error) {
      if (error instanceof SessionDbError && error.code === "io") return error.message;
      throw error;
    }
  }

  #fail(trouble: string): null {
    this.#outcome.troubles.push(trouble);
    return null;
  }

  #listed({ ref, session }: PageSubject): Omit<ListedPage, "file" | "subagents"> {
    const { reveal, timezone, home } = this.#options;
    const clean = new Cleaner({ reveal });
    const { usage, subagents, modifiedAt, messageCount, models, project } = session;
    const family = subagentsText(subagents);
    return {
      fileId: ref.fileId,
      title: clean.title(session),
      project: clean.text(tildePath(project, home)),
      time: formatMoment(Date.parse(modifiedAt), timezone),
      messages: plural(messageCount, "message"),
      cost: usage.cost === 0 ? "" : formatMoney(usage.cost),
      models: [clean.text(models.join(", ")), family === "" ? "" : `+ ${family}`].filter(Boolean).join(" "),
    };
  }

  async #writeList(rows: readonly ListedPage[]): Promise<void> {
    const { index, folder, signal } = this.#place;
    const clean = new Cleaner({ reveal: this.#options.reveal });
    const lists = listPagesOf(rows, { clean, promptsOf: (fileId) => readPrompts(index, fileId) });
    for (const { file, pieces } of lists) await writePrivateFile(join(folder, file), pieces, signal);
    const kept = new Set(lists.map(({ file }) => file));
    const rest = pagesIn(folder).filter((name) => isListName(name) && !kept.has(name));
    for (const name of rest) rmSync(join(folder, name));
  }
}

function tell(
  { talk }: Context,
  folder: string,
  { plan, outcome }: { plan: readonly PlannedPage[]; outcome: Outcome },
): void {
  const { dim, yellow } = talk.paint;
  const { written, upToDate, masked, troubles } = outcome;
  const same = upToDate === 0 ? "" : `, ${formatCount(upToDate)} up to date`;
  talk.say(`Written: ${oneLine(join(folder, "index.html"))}, ${plural(written, "page")}${same}`, dim);
  if (masked > 0) talk.say(`${plural(masked, "secret")} masked; --reveal leaves them in.`, yellow);
  const planned = new Set(plan.flatMap((page) => [page, ...page.subagents]).map(({ file }) => file));
  const left = pagesIn(folder).filter((name) => !isListName(name) && !planned.has(name));
  if (left.length > 0) {
    const are =
      left.length === 1
        ? "1 page of another session is"
        : `${formatCount(left.length)} pages of other sessions are`;
    talk.say(`${are} still there; the list does not lead to them.`, dim);
  }
  for (const trouble of troubles.slice(0, MOST_TROUBLES)) talk.say(`${oneLine(trouble)}.`, yellow);
  const more = troubles.length - MOST_TROUBLES;
  if (more > 0) talk.say(`${plural(more, "more session")} without a page.`, yellow);
}
