import type { EntryNode } from "../store/tables/entry-nodes.ts";
import type { EntryCost } from "../store/tables/usage-rows.ts";
import { formatCompact, formatMoney, plural } from "../text/numbers.ts";
import type { Exported } from "./exported-session.ts";
import { anchorOf, type Html, handlePlaceOf, html, NO_HTML } from "./html-text.ts";

/** A prompt and all that was spent until the next one. */
interface Turn {
  prompt: EntryNode | undefined;
  /** US dollars, or tokens where nothing cost anything. */
  spent: number;
}

/** Turns that share a bar. */
interface Bar {
  turns: readonly Turn[];
  /** Of the first of them, from 1. */
  number: number;
  spent: number;
}

/** More bars than this could not be told apart; neighbours share one. */
const MOST_BARS = 300;
/** The plot's own units; the page stretches them. */
const WIDTH = 1000;
const HEIGHT = 100;
/** Between bars, at most, and the share of a bar's place. */
const [WIDEST_GAP, GAP_SHARE] = [8, 0.15];

/** What each turn on the page has cost, and how it added up; nothing where there is nothing to compare. */
export function plotOf(exported: Exported): Html {
  const { nodes, costs } = shownOf(exported);
  const inMoney = costs.some(({ cost }) => cost > 0);
  const spentBy = ({ cost, totalTokens }: EntryCost): number => (inMoney ? cost : totalTokens);
  const format = inMoney ? formatMoney : (count: number): string => `${formatCompact(count)} tokens`;
  const turns = turnsOf(nodes, costs, spentBy);
  const total = turns.reduce((sum, { spent }) => sum + spent, 0);
  if (total === 0 || turns.length < 2) return NO_HTML;
  const share = Math.ceil(turns.length / MOST_BARS);
  const bars = barsOf(turns, share);
  const highest = Math.max(...bars.map(({ spent }) => spent));
  const unit = `${inMoney ? "Cost" : "Tokens"} of ${share === 1 ? "each turn" : `every ${share} turns`}`;
  const shapes = bars.map((bar, index) =>
    barToHtml(bar, { index, count: bars.length, highest, format }, exported),
  );
  return html`<figure class="spent">
<figcaption><span class="bars">${unit}</span>, <span class="sum">all so far</span> (${plural(turns.length, "turn")})</figcaption>
<div class="axis bars"><span>${format(highest)}</span><span>0</span></div>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="${unit}">${shapes}<path d="${sumOf(bars, total)}"/></svg>
<div class="axis sum"><span>${format(total)}</span><span>0</span></div>
${entriesBelow(nodes, bars)}</figure>
`;
}

interface Part {
  nodes: readonly EntryNode[];
  costs: readonly EntryCost[];
}

/** Of one branch only what stands on it: what else was said is not for whoever gets the page. */
function shownOf({ nodes, branch, costs }: Exported): Part {
  if (branch === undefined) return { nodes: nodes.all, costs };
  const shown = nodes.branchThrough(branch);
  const keys = new Set(shown.map(({ key }) => key));
  return { nodes: shown, costs: costs.filter(({ key }) => keys.has(key)) };
}

function turnsOf(
  nodes: readonly EntryNode[],
  costs: readonly EntryCost[],
  spentBy: (cost: EntryCost) => number,
): Turn[] {
  const spent = new Map(costs.map((each) => [each.key, spentBy(each)]));
  const turns: Turn[] = [{ prompt: undefined, spent: 0 }];
  for (const node of nodes) {
    if (node.role === "user") turns.push({ prompt: node, spent: 0 });
    const turn = turns.at(-1);
    if (turn !== undefined) turn.spent += spent.get(node.key) ?? 0;
  }
  return turns.filter((turn) => turn.prompt !== undefined || turn.spent > 0);
}

function barsOf(turns: readonly Turn[], share: number): Bar[] {
  return Array.from({ length: Math.ceil(turns.length / share) }, (_, index) => {
    const together = turns.slice(index * share, (index + 1) * share);
    const spent = together.reduce((sum, turn) => sum + turn.spent, 0);
    return { turns: together, number: index * share + 1, spent };
  });
}

interface Scale {
  index: number;
  /** Of all bars: together they fill the width. */
  count: number;
  highest: number;
  format: (spent: number) => string;
}

function barToHtml(
  { turns, number, spent }: Bar,
  { index, count, highest, format }: Scale,
  { clean }: Exported,
): Html {
  const prompt = turns[0]?.prompt;
  const which = turns.length === 1 ? `Turn ${number}` : `Turns ${number} to ${number + turns.length - 1}`;
  const title = [which, format(spent), clean.preview(prompt?.preview ?? "")].filter(Boolean).join(" · ");
  const height = (spent / highest) * HEIGHT;
  const gap = Math.min(WIDEST_GAP, (WIDTH / count) * GAP_SHARE);
  const width = (WIDTH - gap * (count - 1)) / count;
  const rect = html`<rect x="${fixed(index * (width + gap))}" y="${fixed(HEIGHT - height)}" width="${fixed(width)}" height="${fixed(height)}"><title>${title}</title></rect>`;
  return prompt === undefined ? rect : html`<a href="#${anchorOf(prompt)}">${rect}</a>`;
}

/** The line of what has been spent so far: it rises over each bar to what was spent by its end. */
function sumOf(bars: readonly Bar[], total: number): string {
  let sum = 0;
  const points = bars.map(({ spent }, index) => {
    sum += spent;
    return `L${fixed(((index + 1) / bars.length) * WIDTH)} ${fixed(HEIGHT - (sum / total) * HEIGHT)}`;
  });
  return `M0 ${HEIGHT}${points.join("")}`;
}

/** Where in the file the turns stand, as handles name it: the first, the middle one and the end. */
function entriesBelow(nodes: readonly EntryNode[], bars: readonly Bar[]): Html {
  const places = [...new Set([0, Math.floor(bars.length / 2)])];
  const prompts = places.flatMap((at) => bars[at]?.turns[0]?.prompt ?? []);
  const marks = prompts.map((node) => html`<a href="#${anchorOf(node)}">entry :${handlePlaceOf(node)}</a>`);
  const last = nodes.slice(-1).map((node) => html`<span>:${handlePlaceOf(node)}</span>`);
  return html`<div class="entries">${marks}${last}</div>\n`;
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}
