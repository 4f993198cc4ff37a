import type { CatchUp } from "./catch-up.ts";
import { type CommandLine, CommandLineError } from "./command-line.ts";
import { isOnScreen, openPanel, resumeSession, say, telling } from "./dialogs.ts";
import { agoOf, endOf, marked, markedLine, projectIn, twoSides } from "./draw.ts";
import { asPrefix, findHits, type Hit, type HitList, totalText } from "./hits.ts";
import type { Command, CommandContext } from "./host.ts";
import type { Asked, Found, Paint, PanelSource } from "./panel-view.ts";
import { hitsAsText } from "./search-tool.ts";
import { cutTo, oneLine, plainLines } from "./text.ts";

const LIMIT = 50;
/** How many hits are listed where there is no screen. */
const FEW = 10;
/** How many entries on each side of a hit are inserted with it, and the most characters of all that. */
const NEIGHBOURS = 2;
const MOST_INSERTED = 6000;
const HINT = 'Words, "a phrase", -without, begin*, this OR that, role:user, since:7d, project:~/work';

interface Tools {
  commandLine: CommandLine;
  catchUp: CatchUp;
}

/** `/search`: shows hits of all sessions while a query is typed; then resumes one, or inserts its words. */
export function searchCommand(tools: Tools): Command {
  return {
    description: "Search every session of every project",
    handler: telling(async (args, context) => {
      const query = args.trim();
      if (isOnScreen(context)) await searchOnScreen(query, tools, context);
      else if (context.hasUI) await searchInDialogs(query, tools, context);
      else await searchInText(query, tools, context);
    }),
  };
}

async function searchOnScreen(query: string, tools: Tools, context: CommandContext): Promise<void> {
  const { choice, insert } = await openPanel(hitSource(tools, context.cwd), query, context);
  if (choice?.action === "resume") await resumeSession(choice.row.path, context);
  if (choice?.action === "insert") insert(await passage(choice.row, tools, context));
}

/** For programs that show dialogs of their own, over RPC. */
async function searchInDialogs(
  query: string,
  { commandLine }: Tools,
  context: CommandContext,
): Promise<void> {
  const asked = query || (await context.ui.input("Search every session", "words"))?.trim();
  if (!asked) return;
  const found = await findHits(commandLine, { query: asked, limit: FEW, options: [], cwd: context.cwd });
  const { hits } = found;
  if (hits.length === 0) return say(context, hitsAsText(found));
  const lines = hits.map((hit, index) => `${index + 1}. ${hit.title}: ${cutTo(oneLine(hit.snippet), 120)}`);
  const chosen = await context.ui.select("Resume which session?", lines);
  const hit = chosen === undefined ? undefined : hits[lines.indexOf(chosen)];
  if (hit) await resumeSession(hit.path, context);
}

async function searchInText(query: string, { commandLine }: Tools, context: CommandContext): Promise<void> {
  if (query === "") return say(context, "Give some words: /search parser error");
  const found = await findHits(commandLine, { query, limit: FEW, options: [], cwd: context.cwd });
  say(context, hitsAsText(found));
}

/** The hits for a query while it is typed. */
export function hitSource({ commandLine, catchUp }: Tools, cwd: string): PanelSource<Hit> {
  const now = Date.now();
  let isFirstReading = false;
  return {
    title: "Search every session",
    hint: HINT,
    rowHeight: 1,
    heading: { of: ({ path }) => path, draw: (hit, paint) => sessionHeading(hit, paint, now) },
    // After a first reading also without news: then there is no session at all, and the answer has to say so.
    news: () => [catchUp.run(cwd).then((isNews) => isNews || isFirstReading)],
    find,
    keyOf: ({ handle }) => handle,
    row: (hit, paint) => [hitRow(hit, paint)],
    detail: hitDetail,
  };

  async function find({ query, here }: Asked, signal: AbortSignal): Promise<Found<Hit>> {
    const asked = asPrefix(query);
    if (asked.trim() === "") return { rows: [], note: "" };
    const options = ["--no-sync", ...(here ? ["--project", cwd] : [])];
    try {
      const question = { query: asked, limit: LIMIT, options, cwd, signal };
      const found = await findHits(commandLine, question);
      return { rows: found.hits, note: noteOn(found) };
    } catch (error) {
      if (!(error instanceof CommandLineError) || error.code !== "not_found" || !catchUp.isRunning)
        throw error;
      isFirstReading = true;
      return { rows: [], note: "your sessions are being read for the first time" };
    }
  }
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

/** The entries around a hit, for the next message to the model. Secrets in them are masked. */
export async function passage(hit: Hit, { commandLine }: Tools, { cwd }: CommandContext): Promise<string> {
  const words = ["show", hit.handle, "--context", String(NEIGHBOURS), "--no-sync"];
  const text = plainLines(await commandLine.print(words, { cwd })).trim();
  return `From an earlier session of ours (${hit.handle}):\n\n${cutTo(text, MOST_INSERTED)}\n\n`;
}
