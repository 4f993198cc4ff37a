import { SessionDbError } from "../../errors.ts";
import type { Cleaner } from "../../render/exported-session.ts";
import type { Session } from "../../reports/answers.ts";
import { assertFileReadable, readBody } from "../../store/tables/entry-bodies.ts";
import type { EntryNode, SessionNodes } from "../../store/tables/entry-nodes.ts";
import { plural } from "../../text/numbers.ts";
import { maskSecrets } from "../../text/secrets.ts";
import { type Args, countOf, isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { REVEAL_OPTION } from "../command-line/options.ts";
import { SESSION_WORDS, whichSession, withSession } from "../command-line/session-argument.ts";
import { printDocumentWithList, WrittenJson } from "../output/json-output.ts";
import { sessionHead } from "../output/session-head.ts";
import { shellWord } from "../output/shell.ts";
import { formatEntry } from "../output/terminal-transcript.ts";
import { maskedSession, shownTitle, wholeTitle } from "../output/title.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

const DEFAULT_CONTEXT = 3;

export const show: Command = {
  pages: true,
  positionals: {
    session: `${SESSION_WORDS}; with :LINE, as search prints it, only the entry there and its neighbours`,
  },
  completes: "sessions",
  options: {
    branch: { value: "ENTRY", describe: "Show the branch that this entry is on" },
    around: {
      value: "ENTRY",
      describe: "Show only this entry (its id, or :LINE in the file) and its neighbours",
    },
    context: { value: "N", describe: `Number of neighbours on each side [default: ${DEFAULT_CONTEXT}]` },
    full: { describe: "Fold nothing: show all tool output, thinking and bookkeeping" },
    ...REVEAL_OPTION,
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 show latest", "the session that was active last"],
    ["$0 show ~/a/b.jsonl:42", "a hit of search, and the entries around it"],
    ["$0 show latest:42", "the same, by session and line"],
    ["$0 show 01a1bfc2 --branch 3a3423a0", "an abandoned branch"],
    ["$0 show latest --json --reveal", "the entries of the branch, exactly as they are in the file"],
  ],
  async run(context, args) {
    const asked = askedFor(args);
    const { readSessionNodes } = await import("../../store/tables/entry-nodes.ts");
    const named = { name: asked.session };
    const { session, nodes } = await withSession(context, args, named, ({ index, ref, session }) => {
      assertFileReadable(ref);
      return { session, nodes: readSessionNodes(index, ref) };
    });
    const excerpt = excerptOf(nodes, asked);
    if (context.json) {
      const { Cleaner } = await import("../../render/exported-session.ts");
      const clean = new Cleaner({ reveal: isSet(args, "reveal") });
      const shown = isSet(args, "reveal") ? session : maskedSession(session, maskSecrets);
      printDocumentWithList(context.out, { session: shown }, "entries", written(excerpt.nodes, clean));
    } else printTranscript(context, session, excerpt, args);
    return ExitCode.done;
  },
};

interface Asked {
  session: string;
  branch: string | undefined;
  around: string | undefined;
  /** How many entries are shown on each side of `around`. */
  context: number;
}

function askedFor(args: Args): Asked {
  const text = textOf(args, "session");
  if (text === undefined) throw whichSession("show");
  // No id has a colon in it. `s`, because the name of a folder may have a line end in it.
  const [, name, line] = /^(.+\.jsonl?|[^/\\:]+)(:\d+)$/s.exec(text) ?? [];
  const branch = textOf(args, "branch");
  const around = textOf(args, "around") ?? line;
  if (branch !== undefined && around !== undefined) {
    throw new SessionDbError("usage", "--branch and --around cannot be used together", {
      hint: "Leave one out.",
    });
  }
  const context = countOf(args, "context", "0 shows the entry alone.");
  if (context !== undefined && around === undefined) {
    throw new SessionDbError("usage", "--context needs an entry, and none was given", {
      hint: "Add --around ENTRY, or write SESSION:LINE.",
    });
  }
  return { session: name ?? text, branch, around, context: context ?? DEFAULT_CONTEXT };
}

interface Excerpt {
  nodes: EntryNode[];
  marked: EntryNode | undefined;
  /** How many entries of the branch are left out before and after those shown. */
  before: number;
  after: number;
}

function excerptOf(nodes: SessionNodes, { branch, around, context }: Asked): Excerpt {
  if (around === undefined) {
    const chosen = branch === undefined ? nodes.pathTo(nodes.leaf) : nodes.branchThrough(nodes.named(branch));
    return { nodes: chosen, marked: undefined, before: 0, after: 0 };
  }
  const marked = nodes.named(around);
  const whole = nodes.branchThrough(marked);
  const at = whole.indexOf(marked);
  const from = Math.max(0, at - context);
  const chosen = whole.slice(from, at + context + 1);
  return { nodes: chosen, marked, before: from, after: whole.length - from - chosen.length };
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
  let wasNote = false;
  for (const node of excerpt.nodes) {
    const { marked } = excerpt;
    const lines = formatEntry(context, node, readBody(node)?.entry ?? null, { ...options, marked });
    const isNote = lines.length === 1;
    if (lines.length > 0) out.print([...(isNote && wasNote ? [] : [""]), ...lines]);
    wasNote = isNote;
  }
  if (excerpt.after > 0) out.print(["", dim(`… ${plural(excerpt.after, "entry", "entries")} after`)]);
  if (session.branchCount > 1 && excerpt.marked === undefined) {
    const others = plural(session.branchCount - 1, "other branch", "other branches");
    const them = session.branchCount === 2 ? "it" : "them";
    const said = `${others}; sessiondb tree ${shellWord(session.id)} shows ${them}`;
    talk.print("");
    talk.say(said, talk.paint.dim);
  }
}
