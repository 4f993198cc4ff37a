import { SessionDbError } from "../../errors.ts";
import type { Cleaner } from "../../render/exported-session.ts";
import type { Session } from "../../reports/answers.ts";
import { maskedSession } from "../../reports/masked-session.ts";
import { assertFileReadable, readBody } from "../../store/tables/entry-bodies.ts";
import type { EntryNode, HiddenWork, SessionNodes } from "../../store/tables/entry-nodes.ts";
import { plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { maskSecrets } from "../../text/secrets.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { type Args, countOf, isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { REVEAL_OPTION } from "../command-line/options.ts";
import { PLACE_WORDS, whichSession, withSession } from "../command-line/session-argument.ts";
import { notTogether } from "../command-line/usage-errors.ts";
import { printDocumentWithList, printLines, WrittenJson } from "../output/json-output.ts";
import { LINES_OPTION, rowFormatOf } from "../output/rows.ts";
import { sessionHead } from "../output/session-head.ts";
import { shellWord } from "../output/shell.ts";
import { shownTitle, wholeTitle } from "../output/shown-title.ts";
import { formatEntry } from "../output/terminal-transcript.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

const DEFAULT_CONTEXT = 3;

export const show: Command = {
  pages: true,
  positionals: {
    session: `${PLACE_WORDS}, only the entry there and its neighbours`,
  },
  completes: "sessions",
  options: {
    branch: { value: "ENTRY", completes: "branches", describe: "Show the branch that this entry is on" },
    around: {
      value: "ENTRY",
      describe: "Show only this entry (its id, or :LINE in the file) and its neighbours",
    },
    context: { value: "N", describe: `Number of neighbours on each side [default: ${DEFAULT_CONTEXT}]` },
    full: { describe: "Fold nothing: show all tool output, thinking and bookkeeping" },
    ...REVEAL_OPTION,
    ...LINES_OPTION,
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 show latest", "the session that was active last"],
    ["$0 show 01a0e225:11", "a hit of search, and the entries around it"],
    ["$0 show 01a1bfc2 --branch 3a3423a0", "an abandoned branch"],
    ["$0 show latest --json --reveal", "the entries of the branch, exactly as they are in the file"],
  ],
  async run(context, args) {
    const name = textOf(args, "session");
    if (name === undefined) throw whichSession("show");
    const format = rowFormatOf(context, args);
    const { readSessionNodes } = await import("../../store/tables/entry-nodes.ts");
    const { session, nodes, asked } = await withSession(context, args, { name }, (named) => {
      const asked = askedFor(args, named.entry);
      assertFileReadable(named.ref);
      return { session: named.session, nodes: readSessionNodes(named.index, named.ref), asked };
    });
    const excerpt = excerptOf(nodes, asked);
    if (format === "json" || format === "ndjson")
      await printData(context, session, excerpt, { format, args });
    else printTranscript(context, session, excerpt, args);
    return ExitCode.done;
  },
};

async function printData(
  { out }: Context,
  session: Session,
  excerpt: Excerpt,
  { format, args }: { format: "json" | "ndjson"; args: Args },
): Promise<void> {
  const { Cleaner } = await import("../../render/exported-session.ts");
  const reveal = isSet(args, "reveal");
  const entries = written(excerpt.nodes, new Cleaner({ reveal }));
  if (format === "ndjson") return printLines(out, entries);
  const shown = reveal ? session : maskedSession(session, maskSecrets);
  const head = { session: shown, gap: gapDocument(excerpt), hidden: hiddenDocument(excerpt) };
  printDocumentWithList(out, head, "entries", entries);
}

interface Asked {
  branch: string | undefined;
  around: string | undefined;
  /** How many entries are shown on each side of `around`. */
  context: number;
}

/** @param entry what names one in `SESSION:LINE` */
function askedFor(args: Args, entry: string | undefined): Asked {
  const branch = textOf(args, "branch");
  const around = textOf(args, "around") ?? entry;
  if (branch !== undefined && around !== undefined) throw notTogether("--branch", "--around");
  const context = countOf(args, "context", "0 shows the entry alone.");
  if (context !== undefined && around === undefined) {
    throw new SessionDbError("usage", "--context needs an entry, and none was given", {
      hint: "Add --around ENTRY, or write SESSION:LINE.",
    });
  }
  return { branch, around, context: context ?? DEFAULT_CONTEXT };
}

interface Excerpt {
  nodes: EntryNode[];
  marked: EntryNode | undefined;
  /** How many entries of the branch are left out before and after those shown. */
  before: number;
  after: number;
  /** The entry with which the branch begins, where it names a parent that stands nowhere; and how many stand before it. */
  gap: { said: string; node: EntryNode; last: EntryNode | undefined; count: number } | undefined;
  /** Newer work that the branch of the session hides, where that is shown. */
  hidden: HiddenWork | undefined;
}

function gapDocument({ gap }: Excerpt): object | null {
  if (gap === undefined) return null;
  const { node, count, last } = gap;
  const { entryId, line, parentId } = node;
  return { entryId, line, parentId, before: count, lastBefore: last?.entryId ?? null };
}

function hiddenDocument({ hidden }: Excerpt): object | null {
  if (hidden === undefined) return null;
  const { since, entries, newest } = hidden;
  return { since: since.entryId, line: since.line, entries: entries.length, newest: newest.entryId };
}

function gapBefore(nodes: SessionNodes, [first]: readonly EntryNode[]): Excerpt["gap"] {
  const said = first === undefined ? undefined : nodes.gapAbove(first);
  if (first === undefined || said === undefined) return undefined;
  const before = nodes.beforeInFile(first);
  return { said, node: first, last: before.at(-1), count: before.length };
}

function excerptOf(nodes: SessionNodes, { branch, around, context }: Asked): Excerpt {
  if (around === undefined) {
    const chosen = branch === undefined ? nodes.pathTo(nodes.leaf) : nodes.branchThrough(nodes.named(branch));
    const hidden = branch === undefined ? nodes.hidden : undefined;
    return { nodes: chosen, marked: undefined, before: 0, after: 0, gap: gapBefore(nodes, chosen), hidden };
  }
  const marked = nodes.named(around);
  const whole = nodes.branchThrough(marked);
  const at = whole.indexOf(marked);
  const from = Math.max(0, at - context);
  const chosen = whole.slice(from, at + context + 1);
  const after = whole.length - from - chosen.length;
  return { nodes: chosen, marked, before: from, after, gap: gapBefore(nodes, chosen), hidden: undefined };
}

function* written(nodes: readonly EntryNode[], clean: Cleaner): Generator<WrittenJson> {
  for (const node of nodes) {
    const body = readBody(node);
    if (body !== null) yield new WrittenJson(clean.json(body.bytes.toString().trim()));
  }
}

function printTranscript(context: Context, session: Session, excerpt: Excerpt, args: Args): void {
  const options = { full: isSet(args, "full"), reveal: isSet(args, "reveal") };
  const { out, talk } = context;
  const { dim } = out.paint;
  const title = options.reveal ? wholeTitle(session) : shownTitle(session);
  out.print(sessionHead(context, session, title));
  if (excerpt.before > 0) out.print(["", dim(`… ${plural(excerpt.before, "entry", "entries")} before`)]);
  if (excerpt.gap !== undefined) out.print(["", ...gapLines(context, excerpt.gap)]);
  let wasNote = false;
  for (const node of excerpt.nodes) {
    const { marked } = excerpt;
    const lines = formatEntry(context, node, readBody(node)?.entry ?? null, { ...options, marked });
    const isNote = lines.length === 1;
    if (lines.length > 0) out.print([...(isNote && wasNote ? [] : [""]), ...lines]);
    wasNote = isNote;
  }
  if (excerpt.after > 0) out.print(["", dim(`… ${plural(excerpt.after, "entry", "entries")} after`)]);
  const { gap, hidden } = excerpt;
  if (hidden !== undefined) sayHidden(context, session, hidden);
  else if (gap?.last !== undefined) sayBeforeGap(context, session, gap.last);
  else if (session.branchCount > 1 && excerpt.marked === undefined) {
    const others = plural(session.branchCount - 1, "other branch", "other branches");
    const them = session.branchCount === 2 ? "it" : "them";
    const said = `${others}; sessiondb tree ${shellWord(session.id)} shows ${them}`;
    talk.print("");
    talk.say(said, talk.paint.dim);
  }
}

/** Where a branch begins in mid-air. */
function gapLines({ out }: Context, { said, count }: NonNullable<Excerpt["gap"]>): string[] {
  const before = count === 0 ? "" : `; ${plural(count, "entry", "entries")} before it not shown`;
  return wrapWords(oneLine(said) + before, out.width).map(out.paint.yellow);
}

function sayBeforeGap(context: Context, { id }: Session, { entryId, line }: EntryNode): void {
  const { talk } = context;
  talk.print("");
  talk.say(`What stands before the gap: ${showBranch(id, entryId ?? `:${line}`)}`, talk.paint.dim);
}

/** The branch that a program goes on with is not always the one that people have gone on with. */
function sayHidden(context: Context, { id }: Session, { since, entries, newest }: HiddenWork): void {
  const { talk } = context;
  const what = `${plural(entries.length, "newer entry", "newer entries")} not shown`;
  const why = `nobody has said anything on this branch since line ${since.line}, which a process that had ended, or was left open, has written last`;
  talk.print("");
  talk.say(
    `${what}: ${why}. To see them: ${showBranch(id, newest.entryId ?? `:${newest.line}`)}`,
    talk.paint.yellow,
  );
}

function showBranch(session: string, entry: string): string {
  return `sessiondb show ${shellWord(session)} --branch ${shellWord(entry)}`;
}
