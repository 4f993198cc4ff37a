import { createHash } from "node:crypto";
import { tildePath } from "../files/paths.ts";
import { Colours } from "../render/code-colours.ts";
import { Conversation, following } from "../render/conversation.ts";
import type { Exported } from "../render/exported-session.ts";
import { aboutBranch, gapAbove } from "../render/html-branches.ts";
import { plotOf } from "../render/html-plot.ts";
import { anchorOf, directed, type Html, html, NO_HTML } from "../render/html-text.ts";
import { CostedTree } from "../reports/open-conversations.ts";
import { readEntry } from "../store/tables/entry-bodies.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";
import { factsOf } from "./facts.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { stampLine } from "./pages.ts";

/** Nothing runs, nothing is loaded: the page is what stands in it. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(PAGE_STYLE).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Branches within branches are folded down to this depth; below it they stand one after the other. */
const DEEPEST_FOLD = 20;

/**
 * The session as one page, piece by piece.
 *
 * @param stamp what it was made from, where it stands in a folder of pages
 */
export function* htmlOf(exported: Exported, stamp?: string): Generator<string> {
  const { session, nodes, branch, clean, home } = exported;
  const title = clean.title(session);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${stamp === undefined ? "" : stampLine(stamp)}<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="sessiondb">
${html`<title>${title}</title>`.source}
<style>${PAGE_STYLE}</style>
</head>
<body class="transcript">
`;
  const facts = factsOf(exported).map(
    ([name, value]) => html`<div><dt>${name}</dt> <dd>${clean.text(value)}</dd></div>\n`,
  );
  yield html`<header>
<h1${directed(title)}>${title}</h1>
<p class="where">${stamp === undefined ? NO_HTML : html`<a href="index.html">All sessions</a> · `}${clean.text(tildePath(session.cwd, home))}</p>
<dl>
${facts}</dl>
${plotOf(exported)}</header>
${contents(exported)}<main>
${HIDERS}
`.source;
  const { timezone } = exported;
  const shown = { clean, timezone, colours: new Colours() };
  const conversation = new Conversation(shown, readEntry);
  if (branch === undefined) yield* wholeTree(exported, conversation);
  else yield* oneBranch(nodes.branchThrough(branch), exported, conversation);
  yield "</main>\n</body>\n</html>\n";
}

/** They work without a script: the page's style asks whether they are checked. */
const HIDERS = html`<p class="hide"><label><input type="checkbox" class="hide-thinking"> Hide thinking</label><label><input type="checkbox" class="hide-tools"> Hide tools</label></p>`;

function* oneBranch(
  branch: readonly EntryNode[],
  exported: Exported,
  conversation: Conversation,
): Generator<string> {
  for (const [at, node] of branch.entries()) {
    yield gapAbove(node, exported).source;
    yield conversation.htmlOf(node, following(branch, at)).source;
  }
}

/** The prompts of the active branch, to jump to. */
function contents({ nodes, branch, clean }: Exported): Html {
  const shown = branch === undefined ? nodes.pathTo(nodes.leaf) : nodes.branchThrough(branch);
  const items = shown
    .filter(({ role, label }) => role === "user" || label !== null)
    .map((node) => {
      const { preview, label, type } = node;
      const mark = label === null ? NO_HTML : html` <mark>${clean.text(label)}</mark>`;
      const said = clean.preview(preview) || type;
      return html`<li><a href="#${anchorOf(node)}"${directed(said)}>${said}</a>${mark}</li>\n`;
    });
  if (items.length < 2) return NO_HTML;
  return html`<nav aria-label="Contents"><details><summary>Contents</summary><ol>\n${items}</ol></details></nav>\n`;
}

type Step = { node: EntryNode; folds: number } | { html: string };

/** The active branch from top to bottom; where another one leaves it, that one is folded. */
function* wholeTree(exported: Exported, conversation: Conversation): Generator<string> {
  const { nodes } = exported;
  const active = new Set(nodes.pathTo(nodes.leaf));
  const tree = new CostedTree(nodes, exported.costs);
  const seen = new Set<EntryNode>();
  const stack: Step[] = [];
  const follow = (siblings: readonly EntryNode[], folds: number): void => {
    const unseen = siblings.filter((node) => !seen.has(node));
    const main = unseen.find((node) => active.has(node)) ?? unseen.at(-1);
    if (main !== undefined) stack.push({ node: main, folds });
    for (const side of unseen.filter((node) => node !== main).toReversed()) {
      if (folds >= DEEPEST_FOLD) stack.push({ node: side, folds });
      else {
        stack.push({ html: "</details>\n" }, { node: side, folds: folds + 1 });
        stack.push({ html: foldOf(side, tree, exported).source });
      }
    }
  };
  // A cycle in a damaged file hangs on no root.
  for (const beginnings of [nodes.childrenOf(null), ...nodes.all.map((node) => [node])]) {
    follow(beginnings, 0);
    for (let step = stack.pop(); step; step = stack.pop()) {
      if ("html" in step) yield step.html;
      else if (!seen.has(step.node)) {
        seen.add(step.node);
        yield gapAbove(step.node, exported).source;
        yield conversation.htmlOf(step.node, nodes.below(step.node)).source;
        follow(nodes.childrenOf(step.node), step.folds);
      }
    }
  }
}

function foldOf(side: EntryNode, tree: CostedTree, { clean }: Exported): Html {
  return html`<details class="branch"><summary>Another branch: ${aboutBranch(side, tree, clean)}</summary>\n`;
}
