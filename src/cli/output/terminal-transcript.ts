import { isTooLong } from "../../files/lines.ts";
import { editOf } from "../../format/edit-diff.ts";
import { isFailedResult } from "../../format/entry.ts";
import type { JsonObject } from "../../format/json.ts";
import { callText, imageBytes, type Part, partsOf } from "../../format/transcript.ts";
import { usageOf } from "../../format/usage.ts";
import type { EntryNode } from "../../store/tables/entry-nodes.ts";
import { formatBytes, formatMoney, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { maskSecrets } from "../../text/secrets.ts";
import { cut, widthOf, wrapText } from "../../text/width.ts";
import { formatMoment } from "../../time/calendar.ts";
import type { Context } from "../command-line/command.ts";
import { shownSpeaker, speakerPaint } from "./fields.ts";
import { shownLabel } from "./snippet-lines.ts";

export interface TranscriptOptions {
  /** Nothing is folded, and bookkeeping is shown too. */
  full: boolean;
  /** Secrets are shown as they are; they are masked unless told. */
  reveal: boolean;
  /** The entry that was asked for. */
  marked?: EntryNode | undefined;
}

/** Lines of each that are shown; what people and models said is never folded. */
const FOLDED = { thinking: 6, call: 8, diff: 24, output: 10 } as const;
/** Calls of other tools that are shown of those that went into one result. */
const SHOWN_CALLS = 5;
/** Columns of a line that tells what happened beside the conversation, without its place. */
const LEAST_NOTE = 3;
const INDENT = "  ";
/** Before each line of what a model thought: not everybody sees the colour that tells it from the answer. */
const THOUGHT = "┆ ";
const SEPARATOR = " · ";

/** One entry as text. `entry` is null where the file no longer holds it, or too much. Empty for what is not shown. */
export function formatEntry(
  context: Context,
  node: EntryNode,
  entry: JsonObject | null,
  options: TranscriptOptions,
): string[] {
  if (entry === null) return [headline(context, node, null, options), `${INDENT}${missing(context, node)}`];
  const parts = partsOf(entry);
  const mask = options.reveal ? String : maskSecrets;
  const [first, ...more] = parts;
  const isMarked = node === options.marked;
  if (first?.kind === "note" && more.length === 0 && !isMarked) {
    return [noteLine(context, node, mask(first.text))];
  }
  if (parts.length === 0 && !options.full && !isMarked) return [];
  const full = options.full || isMarked;
  const shown = full || node.role !== "toolResult" ? parts : withFewCalls(parts);
  return [
    headline(context, node, entry, options),
    ...shown.flatMap((part) => formatPart(context, part, { full, mask })),
  ];
}

/** A script may have made hundreds of calls, which stand first. */
function withFewCalls(parts: readonly Part[]): readonly Part[] {
  const calls = parts.flatMap(({ kind }, at) => (kind === "call" ? [at] : []));
  const from = calls[SHOWN_CALLS];
  // Folding one call away would save nothing.
  if (from === undefined || calls.length <= SHOWN_CALLS + 1) return parts;
  const output = parts.slice(from).filter(({ kind }) => kind === "output" || kind === "image");
  const more: Part = { kind: "note", text: `… ${plural(calls.length - SHOWN_CALLS, "more call")}` };
  return [...parts.slice(0, from), more, ...output];
}

/** What happened is cut rather than the place. */
function noteLine({ out }: Context, node: EntryNode, text: string): string {
  const whole = out.width ?? Number.POSITIVE_INFINITY;
  const place = [oneLine(node.entryId ?? ""), `:${node.line}`].filter(Boolean).join(SEPARATOR);
  const room = Math.max(LEAST_NOTE, whole - widthOf(SEPARATOR + place));
  const what = cut(`· ${oneLine(text) || oneLine(node.type)}`, room);
  return out.paint.dim(cut(what + SEPARATOR + place, whole));
}

function missing({ out }: Context, node: EntryNode): string {
  const why = isTooLong(node)
    ? `a line of ${formatBytes(node.length)}, too long to read`
    : "the session file has changed; try again";
  return out.paint.yellow(`(${why})`);
}

/** Who, when, where. On a narrow terminal first the model is left out, then the cost, then the time. */
function headline(
  { out, config }: Context,
  node: EntryNode,
  entry: JsonObject | null,
  { marked, reveal }: TranscriptOptions,
): string {
  const { bold, dim, red, yellow } = out.paint;
  const usage = entry === null ? null : usageOf(entry);
  const time = timeOf(node, out.isTerminal ? config.timezone : null);
  const model = node.type === "message" ? oneLine(usage?.model ?? "") : "";
  const cost = usage === null || usage.cost === 0 ? "" : formatMoney(usage.cost);
  const place = [oneLine(node.entryId ?? ""), `:${node.line}`];
  const mark = node === marked ? "▶ " : "";
  const failed = isFailedResult(node) ? `${SEPARATOR}failed` : "";
  const whole = (out.width ?? Number.POSITIVE_INFINITY) - widthOf(mark + failed);
  const candidates = [[time, model, cost, ...place], [time, cost, ...place], [time, ...place], place].map(
    (facts) =>
      facts
        .filter(Boolean)
        .map((fact) => SEPARATOR + fact)
        .join(""),
  );
  // Who it was is cut rather than that the place is left out, unless nothing much would be left of it.
  const forPlace = widthOf(candidates.at(-1) ?? "");
  const named = shownSpeaker(node);
  const speaker = cut(named, forPlace * 2 > whole ? whole : whole - forPlace);
  const labelled = reveal ? node.label : maskSecrets(node.label ?? "");
  const label = shownLabel(labelled ?? "", whole - widthOf(speaker) - forPlace);
  const room = whole - widthOf(speaker + label);
  const facts = candidates.find((each) => widthOf(each) <= room) ?? "";
  const who = bold(speakerPaint(out.paint, node)(speaker)) + red(failed);
  return yellow(mark) + who + dim(facts) + yellow(label);
}

function timeOf({ timestamp }: EntryNode, timezone: string | null): string {
  if (timestamp === null) return "";
  return timezone === null ? new Date(timestamp).toISOString() : formatMoment(timestamp, timezone);
}

interface PartOptions {
  full: boolean;
  mask: (text: string) => string;
}

function formatPart({ out }: Context, part: Part, { full, mask }: PartOptions): string[] {
  const { dim, cyan, green, red } = out.paint;
  const width = out.width === undefined ? undefined : out.width - INDENT.length;
  const lines = (text: string, most: number | null, paint: (text: string) => string): string[] =>
    foldLines(wrapText(mask(text), width), full ? null : most).map(({ line, isFold }) =>
      line === "" ? "" : INDENT + (isFold ? dim : paint)(line),
    );
  switch (part.kind) {
    case "text":
      return lines(part.text, null, String);
    case "thinking":
      return thoughtLines(wrapText(mask(part.text), width && width - THOUGHT.length), full).map(
        (line) => INDENT + dim(line),
      );
    case "call": {
      const edit = editOf(part.args);
      if (edit === null) return lines(linesOfCall(part), FOLDED.call, cyan);
      const shown = foldLines(diffLines(mask(edit.diff), width), full ? null : FOLDED.diff);
      const paint = (line: string): string =>
        (line.startsWith("+") ? green : line.startsWith("-") ? red : dim)(line);
      return [
        ...lines(linesOfCall({ ...part, args: edit.args }), FOLDED.call, cyan),
        ...shown.map(({ line }) => INDENT + paint(line)),
      ];
    }
    case "output":
      return lines(part.text, FOLDED.output, dim);
    case "error":
      return lines(part.text, null, red);
    case "note":
      return lines(part.text, null, dim);
    case "image":
      return [`${INDENT}${dim(`[image ${oneLine(part.mimeType)}, ${formatBytes(imageBytes(part))}]`)}`];
  }
}

/** `→ read src/main.ts`: what it is about on the line of the tool, the rest below it. */
function linesOfCall({ name, args }: Extract<Part, { kind: "call" }>): string {
  const { about, rest } = callText(args);
  const head = name === "$" ? `$ ${about}` : `→ ${oneLine(name)} ${about}`;
  return rest === "" ? head : `${head.trimEnd()}\n${rest}`;
}

/** Each line, however often it is broken, behind the sign that says what became of it. */
function diffLines(diff: string, width: number | undefined): string[] {
  return diff.split("\n").flatMap((line) => {
    const sign = line.slice(0, 1);
    return wrapText(line.slice(1), width && width - SIGN_WIDTH).map((piece) => `${sign} ${piece}`.trimEnd());
  });
}

const SIGN_WIDTH = 2;

function thoughtLines(lines: readonly string[], full: boolean): string[] {
  const shown = foldLines(lines, full ? null : FOLDED.thinking);
  return ["(thinking)", ...shown.map(({ line }) => (THOUGHT + line).trimEnd())];
}

interface FoldedLine {
  line: string;
  /** Whether it says how many lines are left out. */
  isFold: boolean;
}

function foldLines(lines: readonly string[], most: number | null): FoldedLine[] {
  // Folding one line away would save nothing.
  const end = most === null || lines.length <= most + 1 ? lines.length : most;
  const shown = lines.slice(0, end).map((line) => ({ line, isFold: false }));
  if (end === lines.length) return shown;
  return [...shown, { line: `… ${plural(lines.length - end, "more line")}`, isFold: true }];
}
