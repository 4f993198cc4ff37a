import type { CostedTree } from "../reports/open-conversations.ts";
import type { EntryNode, SessionNodes } from "../store/tables/entry-nodes.ts";
import { formatMoney, plural } from "../text/numbers.ts";
import type { Cleaner } from "./exported-session.ts";
import { type Html, handlePlaceOf, html, NO_HTML } from "./html-text.ts";

/** More branches that leave at one place are counted only. */
const MOST_FORKS = 20;

/** What a branch holds that begins with an entry: how much, and what was asked. */
export function aboutBranch(side: EntryNode, tree: CostedTree, clean: Cleaner): Html {
  const { entries, cost } = tree.sumsAt(side);
  const said = clean.preview((firstPrompt(side, tree.nodes) ?? side).preview);
  const about = [
    html`${plural(entries, "entry", "entries")}`,
    cost === 0 ? NO_HTML : html` · ${formatMoney(cost)}`,
    said === "" ? NO_HTML : html` · <bdi>${said}</bdi>`,
  ];
  return html`${about}`;
}

/** What was asked first from there on. */
function firstPrompt(side: EntryNode, nodes: SessionNodes): EntryNode | undefined {
  if (side.role === "user") return side;
  for (const node of nodes.below(side)) if (node.role === "user") return node;
  return undefined;
}

/** Where other branches leave, the newest first, each a link that names an entry of it. */
export function forksToHtml(sides: readonly EntryNode[], tree: CostedTree, clean: Cleaner): Html {
  const shown = sides.toReversed().slice(0, MOST_FORKS);
  const forks = shown.map((side) => {
    const name = nameOf(side, tree.nodes);
    const link = html`<a href="?branch=${encodeURIComponent(name)}">Another branch</a>`;
    return html`<p class="fork" data-branch="${name}">${link}: ${aboutBranch(side, tree, clean)}</p>\n`;
  });
  const more = sides.length - shown.length;
  const rest =
    more > 0 ? html`<p class="fork">${plural(more, "older branch", "older branches")}</p>\n` : NO_HTML;
  return html`${forks}${rest}`;
}

/** What names an entry among those of its session, so that `nodes.named` gives it. */
function nameOf(node: EntryNode, nodes: SessionNodes): string {
  const { entryId } = node;
  return entryId && nodes.named(entryId) === node ? entryId : `:${handlePlaceOf(node)}`;
}

/** What is to be said above an entry after a gap; nothing for any other. */
export function gapAbove(node: EntryNode, { nodes, clean }: { nodes: SessionNodes; clean: Cleaner }): Html {
  const gap = nodes.gapAbove(node);
  return gap === undefined ? NO_HTML : html`<p class="note">${clean.text(gap)}</p>\n`;
}
