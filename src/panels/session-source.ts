import type { BackgroundSync } from "./background-sync.ts";
import type { CommandLine } from "./command-line.ts";
import { agoOf, dateOf, endOf, moneyOf, projectIn, twoSides } from "./draw.ts";
import { type KnownSessions, SESSION_SORTS, type SessionRow } from "./known-sessions.ts";
import { type Asked, type Paint, type PanelSource, RESUME } from "./panel-source.ts";
import { previewOf } from "./row-preview.ts";
import { oneLine } from "./text.ts";

/** What answers the questions of a panel. */
export interface PanelTools {
  commandLine: CommandLine;
  catchUp: Pick<BackgroundSync, "run" | "isRunning">;
  sessions: KnownSessions;
  /** Where conversations are to be shown without colour. */
  color?: "never";
}

/** Ms without a key after which a question is asked, where each starts a process. */
export const PAUSE_MS = 120;

/** The list of sessions as it comes: what was known before, a first look, all of them, and what a catch-up brings. */
export class ListedSessions {
  readonly #tools: PanelTools;
  readonly #cwd: string;
  #reading: Promise<void> = Promise.resolve();

  constructor(tools: PanelTools, cwd: string) {
    this.#tools = tools;
    this.#cwd = cwd;
  }

  news(): Promise<boolean>[] {
    const { sessions, catchUp } = this.#tools;
    return [
      ...(this.#knowsNone ? [sessions.read(this.#cwd, { all: false }).then(() => true)] : []),
      this.#read().then(() => true),
      catchUp.run(this.#cwd).then(async (isNews) => {
        if (!isNews) await this.#reading;
        // A question may have filled the index meanwhile: then there was nothing left to do, and the list is still empty.
        if (!isNews && !this.#knowsNone) return false;
        await this.#read();
        return isNews || !this.#knowsNone;
      }),
    ];
  }

  get #knowsNone(): boolean {
    return this.#tools.sessions.matching({ query: "", here: false }, this.#cwd).length === 0;
  }

  async matching(asked: Asked): Promise<SessionRow[]> {
    const { sessions } = this.#tools;
    const known = sessions.matching(asked, this.#cwd);
    if (known.length > 0) return known;
    await this.#reading;
    return sessions.matching(asked, this.#cwd);
  }

  #read(): Promise<void> {
    this.#reading = this.#tools.sessions.read(this.#cwd, { all: true });
    return this.#reading;
  }
}

export function sessionSource(tools: PanelTools, cwd: string): PanelSource<SessionRow> {
  const now = Date.now();
  const listed = new ListedSessions(tools, cwd);
  return {
    title: "All sessions",
    hint: "No session matches.",
    rowHeight: 1,
    sorts: SESSION_SORTS,
    roles: [],
    pauseMs: PAUSE_MS,
    most: Number.POSITIVE_INFINITY,
    actions: [RESUME],
    news: () => listed.news(),
    async find(asked) {
      const rows = await listed.matching(asked);
      return { rows, note: sessionsText(rows.length) };
    },
    keyOf: ({ path }) => path,
    row: (session, paint) => [sessionLine(session, paint, now)],
    detail: sessionDetail,
    preview: (session, room) => previewOf(session, { ...tools, cwd, ...room }),
  };
}

/** `1 session`, `12 sessions`. */
export function sessionsText(count: number): string {
  return `${count} ${count === 1 ? "session" : "sessions"}`;
}

/** With so many columns there is room for what it cost, and for all of the figures. */
const FOR_COST = 70;
const FOR_FIGURES = 84;

/** Its title, and figures in columns. */
export function sessionLine(session: SessionRow, paint: Paint, now: number): string {
  const { title, cwd, modified, messages, cost, subagents } = session;
  const { theme, chosen, width } = paint;
  const figures = [
    projectIn(paint, cwd),
    ...(width >= FOR_FIGURES ? [familyOf(subagents.sessions).padStart(4), `${messages}`.padStart(5)] : []),
    ...(width >= FOR_COST ? [(cost === 0 ? "" : moneyOf(cost)).padStart(8)] : []),
    agoOf(modified, now).padStart(10),
  ];
  const shown = chosen ? theme.bold(title) : theme.fg("text", title);
  return twoSides(shown, theme.fg("dim", figures.join(" ")), paint);
}

/** `+3` for three sub-agents. */
function familyOf(subagents: number): string {
  return subagents === 0 ? "" : `+${subagents}`;
}

export function sessionDetail(session: SessionRow, paint: Paint): string[] {
  const { tui, theme, width } = paint;
  const { messages, cost, subagents, models, modified, path } = session;
  const money = cost === 0 ? "" : moneyOf(cost);
  const facts = [dateOf(modified), `${messages} messages`, money, withSubagents(subagents), models]
    .filter(Boolean)
    .join(" · ");
  const said = tui.wrapTextWithAnsi(saidIn(session), width).slice(0, 2);
  return [
    ...said.map((line) => theme.fg("muted", line)),
    theme.fg("dim", facts),
    theme.fg("dim", endOf(oneLine(path), paint)),
  ];
}

/** The first message; the title where programs wrote the beginning of that. */
function saidIn({ name, title, firstMessage }: SessionRow): string {
  return name === "" && !firstMessage.startsWith(title) ? title : firstMessage || title;
}

/** What its sub-agents add to a session; empty where it has none. */
function withSubagents({ sessions, cost }: SessionRow["subagents"]): string {
  if (sessions === 0) return "";
  return `+ ${sessions} ${sessions === 1 ? "sub-agent" : "sub-agents"}${cost === 0 ? "" : `, ${moneyOf(cost)}`}`;
}
