import type { Hit, HitPlace, Neighbour } from "../../search/hits/hit.ts";
import { plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { cut, widthOf } from "../../text/width.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { dayOf, formatSpan } from "../../time/calendar.ts";
import type { Context } from "../command-line/command.ts";
import type { Linker } from "../terminal/links.ts";
import { columnsOf } from "../terminal/output.ts";
import { shownPath, shownSpeaker, shownTime } from "./fields.ts";
import { wholeTitle } from "./shown-title.ts";
import { formatSnippet } from "./snippet-lines.ts";

const LEAST_TITLE = 20;
const SEPARATOR = " · ";
/** How many copies of a hit are listed. */
const MOST_COPIES = 3;

/** The most lines of a snippet below its session, and on terminals narrower than `NARROW`. */
const FEW_LINES = 2;
const MORE_LINES = 3;
/** In columns. */
const NARROW = 60;
const INDENT = "  ";

/** The hits of one session, in their order: what the session is called, where and when, then each hit. */
export function formatGroup(context: Context, hits: readonly Hit[], link: Linker): string[] {
  const [first] = hits;
  if (first === undefined) return [];
  const times = [...new Set(hits.map(({ timestamp }) => shownTime(context, timestamp)))].filter(Boolean);
  const when = times.length > 1 ? spanOf(context, hits) : (times[0] ?? "");
  const described = hits.map((hit) => formatHitOfGroup(context, hit, link));
  // Where hits have neighbours, it must be seen whose they are.
  const gap = first.context === undefined ? [] : [""];
  return [
    headline(context, first, [when]),
    ...described.flatMap((lines, at) => [...(at === 0 ? [] : gap), ...lines]),
  ];
}

/** The days from the first hit to the last: `2026-09-27 to 10-02`. */
function spanOf({ config }: Context, hits: readonly Hit[]): string {
  const times = hits.flatMap(({ timestamp }) => timestamp ?? []).sort();
  const span = formatSpan(times[0] ?? "", times.at(-1) ?? "", (ms) => dayOf(ms, config.timezone));
  return span.replace(/^((\d+)-.*) to \2-/, "$1 to ");
}

/** `01a0e225:16 assistant` and what was said. */
function formatHitOfGroup(context: Context, hit: Hit, link: Linker): string[] {
  const { out } = context;
  const { bold, dim, green, yellow } = out.paint;
  const whole = out.width ?? columnsOf(out.stream);
  const speaker = [shownSpeaker(hit), ...(hit.onBranch ? [] : ["(other branch)"])].join(" ");
  const handle = oneLine(hit.handle);
  const shownWho = cut(speaker, Math.max(LEAST_WHO, whole - widthOf(handle) - 1));
  const { path } = hit.session;
  const place = path === "" ? green(handle) : link(green(handle), path, hit.line);
  const lead = widthOf(`${handle} ${shownWho}`) + INDENT.length;
  // Where little room is left beside them, the words stand below.
  const isBeside = lead <= whole / 2;
  const width = whole - INDENT.length;
  const [words = "", ...more] = formatSnippet(hit.snippet, hit.highlights, {
    width,
    mark: (text) => bold(yellow(text)),
    lead: isBeside ? lead - INDENT.length : 0,
    most: whole < NARROW ? MORE_LINES : FEW_LINES,
  });
  const head = `${place} ${dim(shownWho)}`;
  const beside = (each: Neighbour) => INDENT + dim(neighbourLine(context, each, width));
  return [
    ...(hit.context?.before.map(beside) ?? []),
    ...(isBeside ? [`${head}${INDENT}${words}`.trimEnd()] : [head, INDENT + words]),
    ...more.map((line) => INDENT + line),
    ...(hit.context?.after.map(beside) ?? []),
    ...copiesLine(hit, width).map((line) => INDENT + dim(line)),
  ];
}

/** In columns: what is left of a speaker on the narrowest terminals. */
const LEAST_WHO = 4;

function copiesLine({ copies }: Hit, width: number): string[] {
  if (copies.length === 0) return [];
  const named = copies.slice(0, MOST_COPIES).map(({ handle }) => oneLine(handle));
  const more = copies.length - named.length;
  const others = more > 0 ? ` and in ${plural(more, "other fork")}` : "";
  return wrapWords(`also ${named.join(", ")}${others}`, width);
}

/** The lines of a hit by itself: whose words and when, the words, and the place for an editor. */
export function formatHit(context: Context, hit: Hit): string[] {
  const { out } = context;
  const { bold, dim, yellow } = out.paint;
  const indent = out.isTerminal ? "  " : "";
  const width = out.width === undefined ? undefined : out.width - indent.length;
  const snippet = formatSnippet(hit.snippet, hit.highlights, { width, mark: (text) => bold(yellow(text)) });
  const copies = hit.copies.slice(0, MOST_COPIES).map((copy) => `also ${addressOf(context, copy)}`);
  const more = hit.copies.length - copies.length;
  const places = [
    addressOf(context, hit),
    ...copies,
    ...(more > 0 ? [`also in ${plural(more, "other fork")}`] : []),
  ];
  const beside = (each: Neighbour) => indent + dim(neighbourLine(context, each, width));
  return [
    headline(context, hit, [
      shownTime(context, hit.timestamp),
      shownSpeaker(hit),
      hit.onBranch ? "" : "other branch",
    ]),
    ...(hit.context?.before.map(beside) ?? []),
    ...snippet.map((line) => indent + line),
    ...(hit.context?.after.map(beside) ?? []),
    ...places.map((place) => indent + dim(place)),
  ];
}

/** `path:line`, which editors open; the handle of an entry whose file is not here. */
function addressOf(context: Context, { session, line, handle }: HitPlace): string {
  if (session.path === "") return oneLine(handle);
  return `${shownPath(context, session.path)}:${line}`;
}

/** An entry before or after a hit: the speaker, and as many of the words as fit. */
function neighbourLine({ out }: Context, neighbour: Neighbour, width: number | undefined): string {
  const line = `${out.isTerminal ? "│ " : ""}${shownSpeaker(neighbour)}: ${oneLine(neighbour.text)}`;
  return width === undefined ? line : cut(line, width);
}

/**
 * Title, project and the rest on one line. If they do not fit, first the title is cut, then the project, then the rest.
 */
function headline(context: Context, { session }: Hit, rest: readonly string[]): string {
  const { out } = context;
  const { bold, cyan, dim } = out.paint;
  const title = wholeTitle(session);
  const project = shownPath(context, session.cwd);
  const facts = rest.filter(Boolean).join(SEPARATOR);
  const room = out.width ?? Number.POSITIVE_INFINITY;
  const shownFacts = cut(facts, room - LEAST_TITLE - SEPARATOR.length);
  const forNames = room - widthOf(shownFacts) - SEPARATOR.length;
  const shownTitle = cut(title, Math.max(LEAST_TITLE, forNames - widthOf(project) - SEPARATOR.length));
  const shownProject = cut(project, forNames - widthOf(shownTitle) - SEPARATOR.length, "path");
  const parts: [string, (text: string) => string][] = [
    [shownTitle, bold],
    [shownProject, cyan],
    [shownFacts, dim],
  ];
  return parts.flatMap(([text, paint]) => (text === "" ? [] : [paint(text)])).join(dim(SEPARATOR));
}
