import { CommandLineError } from "./command-line.ts";
import { agoOf, endOf, marked, markedLine, projectIn, twoSides } from "./draw.ts";
import { asPrefix, findHits, type Hit, type HitList, totalText } from "./hits.ts";
import { type Asked, type Found, type Paint, type PanelSource, RESUME } from "./panel-source.ts";
import { isHit, type PanelRow, previewOf } from "./row-preview.ts";
import {
  ListedSessions,
  PAUSE_MS,
  type PanelTools,
  sessionDetail,
  sessionLine,
  sessionsText,
} from "./session-source.ts";
import { oneLine } from "./text.ts";

/** Hits that are asked for at first. */
const MOST = 50;
const HINT = 'Words, "a phrase", -without, begin*, this OR that, role:user, since:7d, project:~/work';
const SORTS = ["relevance", "newest", "oldest"];

/** The hits for a query while it is typed; the last sessions while there is none. */
export function hitSource(tools: PanelTools, cwd: string): PanelSource<PanelRow> {
  const now = Date.now();
  const questions = new HitQuestions(tools, cwd);
  return {
    title: "Search every session",
    hint: HINT,
    rowHeight: 1,
    heading: {
      of: (row) => (isHit(row) ? row.path : undefined),
      draw: (row, paint) => (isHit(row) ? sessionHeading(row, paint, now) : ""),
    },
    sorts: SORTS,
    roles: ["user", "assistant", "toolResult"],
    pauseMs: PAUSE_MS,
    most: MOST,
    actions: [RESUME],
    news: () => questions.news(),
    find: (asked, signal) => questions.find(asked, signal),
    keyOf: (row) => (isHit(row) ? row.handle : row.path),
    row: (row, paint) => [isHit(row) ? hitRow(row, paint) : sessionLine(row, paint, now)],
    detail: (row, paint) => (isHit(row) ? hitDetail(row, paint) : sessionDetail(row, paint)),
    preview: (row, room) => previewOf(row, { ...tools, cwd, ...room }),
    wordsIn: (row) =>
      isHit(row) ? row.highlights.map(([from, to]) => oneLine(row.snippet.slice(from, to))) : [],
  };
}

/** Asks for hits, or for sessions. */
class HitQuestions {
  readonly #tools: PanelTools;
  readonly #cwd: string;
  readonly #listed: ListedSessions;
  /** Whether the last answer may lack what was still to be read. */
  #isIncomplete = false;

  constructor(tools: PanelTools, cwd: string) {
    this.#tools = tools;
    this.#cwd = cwd;
    this.#listed = new ListedSessions(tools, cwd);
  }

  /** After an incomplete answer also without new files: more can be searched, or there is no session at all. */
  news(): Promise<boolean>[] {
    return this.#listed.news().map((each) => each.then((isNews) => isNews || this.#isIncomplete));
  }

  find(asked: Asked, signal: AbortSignal): Promise<Found<PanelRow>> {
    const query = asPrefix(asked.query);
    return query.trim() === "" ? this.#recent(asked) : this.#hits({ ...asked, query }, signal);
  }

  async #recent(asked: Asked): Promise<Found<PanelRow>> {
    const rows = await this.#listed.matching({ ...asked, query: "" });
    return { rows, note: rows.length === 0 ? "" : sessionsText(rows.length) };
  }

  async #hits(asked: Asked, signal: AbortSignal, mayCatchUp = true): Promise<Found<PanelRow>> {
    const { commandLine, catchUp } = this.#tools;
    const cwd = this.#cwd;
    try {
      const { query, most: limit } = asked;
      const found = await findHits(commandLine, {
        query,
        limit,
        options: optionsOf(asked, cwd),
        cwd,
        signal,
      });
      this.#isIncomplete = found.notes.length > 0;
      return { rows: found.hits, note: noteOn(found), hasMore: found.total > found.hits.length };
    } catch (error) {
      if (!(error instanceof CommandLineError) || error.code !== "not_found") throw error;
      if (catchUp.isRunning) {
        this.#isIncomplete = true;
        return { rows: [], note: "your sessions are being read for the first time" };
      }
      // The index was deleted under it.
      if (!mayCatchUp) throw error;
      await catchUp.run(cwd);
      return this.#hits(asked, signal, false);
    }
  }
}

function optionsOf({ here, named, sort, role }: Asked, cwd: string): string[] {
  return [
    "--no-sync",
    ...(here ? ["--project", cwd] : []),
    ...(named ? ["--named"] : []),
    ...(role === "" ? [] : [`--role=${role}`]),
    ...(sort === SORTS[0] ? [] : [`--sort=${sort}`]),
  ];
}

function noteOn(found: HitList): string {
  const { hits, total, notes } = found;
  if (total === 0) return ["nothing found", ...notes].join(" · ");
  if (total > hits.length) return `${hits.length} of ${totalText(found)} hits`;
  return `${total} ${total === 1 ? "hit" : "hits"}`;
}

function sessionHeading({ title, cwd, time }: Hit, paint: Paint, now: number): string {
  const { theme, chosen } = paint;
  const facts = [projectIn(paint, cwd), agoOf(time, now)].filter(Boolean).join(" · ");
  return twoSides(chosen ? theme.bold(title) : theme.fg("text", title), theme.fg("dim", facts), paint);
}

/** Who said it, and what, from a little before what matched. */
function hitRow({ speaker, snippet, highlights }: Hit, paint: Paint): string {
  const { tui, theme, chosen, width } = paint;
  const who = tui.truncateToWidth(speaker, Math.max(4, Math.floor(width / 4)), "…");
  const shown = chosen ? theme.bold(who) : theme.fg("dim", who);
  const room = width - tui.visibleWidth(who) - 2;
  return `${shown}  ${markedLine(snippet, highlights, { ...paint, width: room })}`;
}

function hitDetail(hit: Hit, paint: Paint): string[] {
  const lines = paint.tui.wrapTextWithAnsi(marked(hit.snippet, hit.highlights, paint), paint.width);
  const place = twoSides(
    hit.handle,
    endOf(oneLine(hit.path), { ...paint, width: paint.width - hit.handle.length - 2 }),
    paint,
  );
  return [...lines.slice(0, 3), paint.theme.fg("dim", place)];
}
