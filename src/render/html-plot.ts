import type { EntryNode } from "../store/tables/entry-nodes.ts";
import type { EntryCost } from "../store/tables/usage-rows.ts";
import { formatCompact, formatMoney, plural } from "../text/numbers.ts";
import { formatMoment } from "../time/calendar.ts";
import type { Exported } from "./exported-session.ts";
import { anchorOf, type Html, html, NO_HTML } from "./html-text.ts";

/** A prompt and all that was spent until the next one. */
interface Turn {
  prompt: EntryNode | undefined;
  /** US dollars, or tokens where nothing cost anything. */
  spent: number;
}

/** More bars than this could not be told apart; neighbours share one. */
const MOST_BARS = 300;
/** Few bars do not fill the width: they would look like walls. */
const LEAST_SLOTS = 24;
/** The plots' own units; the page stretches them. */
const WIDTH = 1000;
const HEIGHT = 100;

/** What each turn on the page has cost, and how it added up over time; nothing where nothing was spent. */
export function plotsOf(exported: Exported): Html {
  const { timezone } = exported;
  const { nodes, costs } = shownOf(exported);
  const inMoney = costs.some(({ cost }) => cost > 0);
  const spentBy = ({ cost, totalTokens }: EntryCost): number => (inMoney ? cost : totalTokens);
  const format = inMoney ? formatMoney : (count: number): string => `${formatCompact(count)} tokens`;
  const turns = turnsOf(nodes, costs, spentBy);
  const total = costs.reduce((sum, each) => sum + spentBy(each), 0);
  if (total === 0) return NO_HTML;
  const what = inMoney ? "Cost" : "Tokens";
  return html`${barsOf(turns, { what, format }, exported)}${lineOf(costs, spentBy, { what, total, format, timezone })}`;
}

interface Shown {
  nodes: readonly EntryNode[];
  costs: readonly EntryCost[];
}

/** Of one branch only what stands on it: what else was said is not for whoever gets the page. */
function shownOf({ nodes, branch, costs }: Exported): Shown {
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

interface Words {
  what: string;
  format: (spent: number) => string;
}

function barsOf(turns: readonly Turn[], { what, format }: Words, { clean }: Exported): Html {
  const share = Math.ceil(turns.length / MOST_BARS);
  const bars = Array.from({ length: Math.ceil(turns.length / share) }, (_, index) => {
    const together = turns.slice(index * share, (index + 1) * share);
    return { turns: together, spent: together.reduce((sum, turn) => sum + turn.spent, 0) };
  });
  const highest = Math.max(...bars.map(({ spent }) => spent));
  const step = WIDTH / Math.max(LEAST_SLOTS, bars.length);
  const shapes = bars.map(({ turns: together, spent }, index) => {
    const [first] = together;
    const number = index * share + 1;
    const which = share === 1 ? `Turn ${number}` : `Turns ${number} to ${number + together.length - 1}`;
    const title = [which, format(spent), clean.preview(first?.prompt?.preview ?? "")]
      .filter(Boolean)
      .join(" · ");
    const height = highest === 0 ? 0 : (spent / highest) * HEIGHT;
    const rect = html`<rect x="${fixed(index * step)}" y="${fixed(HEIGHT - height)}" width="${fixed(step * 0.85)}" height="${fixed(height)}"><title>${title}</title></rect>`;
    return first?.prompt === undefined ? rect : html`<a href="#${anchorOf(first.prompt)}">${rect}</a>`;
  });
  const unit = `${what} of ${share === 1 ? "each turn" : `every ${share} turns`}`;
  return html`<figure>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="${unit}">${shapes}</svg>
<figcaption><span>${unit} (${plural(turns.length, "turn")})</span><span>at most ${format(highest)}</span></figcaption>
</figure>
`;
}

function lineOf(
  costs: readonly EntryCost[],
  spentBy: (cost: EntryCost) => number,
  { what, total, format, timezone }: Words & { total: number; timezone: string },
): Html {
  const dated = costs
    .flatMap((each) => (each.timestamp === null ? [] : [{ time: each.timestamp, spent: spentBy(each) }]))
    .sort((a, b) => a.time - b.time);
  const [first, last] = [dated[0], dated.at(-1)];
  if (first === undefined || last === undefined || first.time === last.time) return NO_HTML;
  const x = (time: number): number => ((time - first.time) / (last.time - first.time)) * WIDTH;
  let sum = 0;
  let path = `M0 ${HEIGHT}`;
  let drawnAt = Number.NEGATIVE_INFINITY;
  for (const { time, spent } of dated) {
    sum += spent;
    // Steps nearer than a pixel fall together.
    const at = x(time);
    if (at - drawnAt < 0.5 && time !== last.time) continue;
    drawnAt = at;
    path += `H${fixed(at)}V${fixed(HEIGHT - (sum / total) * HEIGHT)}`;
  }
  return html`<figure>
<svg viewBox="0 -2 ${WIDTH} ${HEIGHT + 2}" preserveAspectRatio="none" role="img" aria-label="${what} over time"><path d="${path}"/></svg>
<figcaption><span>${formatMoment(first.time, timezone)}</span><span>${what} over time, ${format(total)} in all</span><span>${formatMoment(last.time, timezone)}</span></figcaption>
</figure>
`;
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}
