import { shortIds } from "../../format/ids.ts";
import type { Session } from "../../reports/answers.ts";
import type { EntryNode, PlacedNode, SessionNodes } from "../../store/tables/entry-nodes.ts";
import { plural } from "../../text/numbers.ts";
import { shownPreview } from "../../text/preview.ts";
import { oneLine } from "../../text/sanitise.ts";
import { maskPreview, maskSecrets } from "../../text/secrets.ts";
import { cut, widthOf } from "../../text/width.ts";
import { isoOrNull } from "../../time/calendar.ts";
import { isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { PLACE_WORDS, whichSession, withSession } from "../command-line/session-argument.ts";
import { shownSpeaker, speakerPaint } from "../output/fields.ts";
import { printDocumentWithList, printLines } from "../output/json-output.ts";
import { LINES_OPTION, rowFormatOf } from "../output/rows.ts";
import { sessionHead } from "../output/session-head.ts";
import { shownTitle } from "../output/shown-title.ts";
import { shownLabel } from "../output/snippet-lines.ts";
import { drawTree, type TreeLine } from "../output/tree-lines.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

export const tree: Command = {
  pages: true,
  positionals: { session: `${PLACE_WORDS}, with a mark at the entry` },
  completes: "sessions",
  options: {
    full: { describe: "Show tool results, settings and other bookkeeping too" },
    ...LINES_OPTION,
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 tree latest", "its branches and labels, and where it continues"],
    ["$0 tree 01a1bfc2 --full", "every entry"],
  ],
  async run(context, args) {
    const name = textOf(args, "session");
    if (name === undefined) throw whichSession("tree");
    const format = rowFormatOf(context, args);
    const { readSessionNodes } = await import("../../store/tables/entry-nodes.ts");
    const { session, nodes, marked } = await withSession(context, args, { name }, (named) => {
      const nodes = readSessionNodes(named.index, named.ref);
      const marked = named.entry === undefined ? undefined : nodes.named(named.entry);
      return { session: named.session, nodes, marked };
    });
    const active = new Set(nodes.pathTo(nodes.leaf));
    if (format === "json")
      printDocumentWithList(context.out, { session }, "nodes", documentsOf(nodes, active));
    else if (format === "ndjson") printLines(context.out, documentsOf(nodes, active));
    else printTree(context, { session, nodes, active, marked, full: isSet(args, "full") });
    return ExitCode.done;
  },
};

function* documentsOf(nodes: SessionNodes, active: ReadonlySet<EntryNode>): Generator<object> {
  for (const { node, depth } of nodes.inTreeOrder()) {
    const { entryId, parentId, type, role, tool, isError, label, preview, line, timestamp } = node;
    yield {
      id: entryId,
      parentId,
      depth,
      type,
      role,
      tool,
      isError,
      label,
      preview,
      afterGap: nodes.isAfterGap(node),
      onBranch: active.has(node),
      line,
      timestamp: isoOrNull(timestamp),
    };
  }
}

interface WholeTree {
  session: Session;
  nodes: SessionNodes;
  /** The path to the leaf. */
  active: ReadonlySet<EntryNode>;
  /** The entry that was asked for. */
  marked: EntryNode | undefined;
  full: boolean;
}

function printTree(context: Context, { session, nodes, active, marked, full }: WholeTree): void {
  const { out, talk } = context;
  const isShown = ({ node, children }: PlacedNode): boolean =>
    full ||
    isSaid(node) ||
    node === nodes.leaf ||
    node === marked ||
    (children.length === 0 && !active.has(node));
  const lines = drawTree(nodes, isShown, out.width);
  const ids = lines.map(({ node }) => node.entryId ?? `:${node.line}`);
  const shown = out.isTerminal ? shortIds(ids) : ids;
  const width = shown.reduce((widest, id) => Math.max(widest, widthOf(oneLine(id))), 0);
  out.print([...sessionHead(context, session, shownTitle(session)), ""]);
  for (const [index, line] of lines.entries()) {
    const id = oneLine(shown[index] ?? "");
    out.print(
      formatLine(context, line, {
        id: id.padEnd(width),
        isActive: active.has(line.node),
        isLeaf: line.node === nodes.leaf,
        isMarked: line.node === marked,
        isAfterGap: nodes.isAfterGap(line.node),
      }),
    );
  }
  const hidden = nodes.all.length - lines.length;
  if (hidden > 0) {
    const what = `${plural(hidden, "entry", "entries")} of tools and settings not shown`;
    const how = `--full shows ${hidden === 1 ? "it" : "them"}`;
    talk.print("");
    talk.say(`${what}; ${how}`, talk.paint.dim);
  }
}

/** What a reader looks for: what was said, summed up, or marked. */
function isSaid({ type, role, label, preview, isError }: EntryNode): boolean {
  if (label !== null) return true;
  if (type === "message") return role === "user" || (role === "assistant" && (preview !== "" || isError));
  return type === "compaction" || type === "branch_summary" || type === "custom_message";
}

function formatLine(
  { out }: Context,
  { node, rails }: TreeLine,
  { id, ...is }: { id: string } & Record<"isActive" | "isLeaf" | "isMarked" | "isAfterGap", boolean>,
): string {
  const { bold, dim, red, yellow } = out.paint;
  const here = is.isLeaf ? " ◀" : "";
  const mark = `${is.isAfterGap ? "… a gap: " : ""}${is.isMarked ? "▶ " : ""}`;
  const failed = node.isError ? " ✗" : "";
  const whole = (out.width ?? Number.POSITIVE_INFINITY) - widthOf(`${id} ${rails}${mark}${failed}  ${here}`);
  const speaker = cut(shownSpeaker(node), (whole * 2) / 3);
  const room = whole - widthOf(speaker);
  const said = oneLine(shownPreview(node.preview, maskPreview));
  // A label takes more than half of the room only where nothing else needs it.
  const label = shownLabel(maskSecrets(node.label ?? ""), Math.max(room / 2, room - widthOf(said)));
  const preview = cut(said, room - widthOf(label));
  const spoken = node.isError ? red : speakerPaint(out.paint, node);
  const paint = is.isActive ? spoken : dim;
  const text = is.isActive ? preview : dim(preview);
  return `${dim(`${id} ${rails}`)}${yellow(mark)}${paint(speaker + failed)}  ${text}${yellow(label)}${bold(here)}`.trimEnd();
}
