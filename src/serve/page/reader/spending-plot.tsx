import { scaleLinear } from "d3-scale";
import type { Outline } from "../../../reports/read-conversation.ts";
import { formatCompact, formatMoney } from "../../../text/numbers.ts";
import { type Point, pathOf, stepsOf } from "../plots/path.ts";
import { useWidth } from "../plots/use-width.ts";

interface SpendingProps {
  outline: Outline;
  place: number;
  onJump: (place: number) => void;
}

const HEIGHT = 96;
const MARGIN = { top: 8, right: 52, bottom: 8, left: 52 };

/** What a branch has cost so far, and how full the context was, over its entries: time would be mostly nights. */
export function SpendingPlot(props: SpendingProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  const { requests } = props.outline;
  const cost = requests.reduce((sum, each) => sum + each.cost, 0);
  const most = Math.max(0, ...requests.map(({ totalTokens }) => totalTokens));
  const spent = cost === 0 ? "$0" : formatMoney(cost);
  if (requests.length < 2) return null;
  return (
    <figure class="plot spending">
      <div ref={element} class="lane">
        {width > 0 && <Lane {...props} width={width} cost={cost} most={most} />}
      </div>
      <figcaption class="soft">
        <span class="key solid" /> cost so far, {spent} in all <span class="key dashed" /> tokens in the
        context, at most {formatCompact(most)}
      </figcaption>
    </figure>
  );
}

interface LaneProps extends SpendingProps {
  width: number;
  cost: number;
  most: number;
}

function Lane({ outline: { requests, total, items }, place, onJump, width, cost, most }: LaneProps) {
  const x = scaleLinear([0, Math.max(1, total - 1)], [MARGIN.left, width - MARGIN.right]);
  const across = HEIGHT - MARGIN.top - MARGIN.bottom;
  const compactions = items.filter(({ kind }) => kind === "compaction");
  const jump = ({ offsetX }: MouseEvent): void =>
    onJump(Math.min(total - 1, Math.max(0, Math.round(x.invert(offsetX)))));
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true" onClick={jump}>
      <rect class="paper" width={width} height={HEIGHT} />
      <Lines requests={requests} x={x} cost={cost} most={most} />
      {compactions.map((item) => (
        <path key={item.place} class="compaction" d={`M${x(item.place)} ${MARGIN.top}v${across}`} />
      ))}
      <path class="you" d={`M${x(place)} ${MARGIN.top - 4}v${across + 8}`} />
      <text x={MARGIN.left - 6} y={MARGIN.top} dy=".7em" text-anchor="end">
        {cost === 0 ? "" : formatMoney(cost)}
      </text>
      <text x={width - MARGIN.right + 6} y={MARGIN.top} dy=".7em">
        {formatCompact(most)}
      </text>
    </svg>
  );
}

interface LinesProps {
  requests: Outline["requests"];
  x: (place: number) => number;
  cost: number;
  most: number;
}

function Lines({ requests, x, cost, most }: LinesProps) {
  const range = [HEIGHT - MARGIN.bottom, MARGIN.top];
  const dollars = scaleLinear([0, cost || 1], range);
  const tokens = scaleLinear([0, most || 1], range);
  let sum = 0;
  const spent: Point[] = [[x(0), dollars(0)]];
  const context: Point[] = [];
  for (const { place, cost: own, totalTokens } of requests) {
    sum += own;
    spent.push([x(place), dollars(sum)]);
    if (totalTokens > 0) context.push([x(place), tokens(totalTokens)]);
  }
  return (
    <>
      <path class="context" d={pathOf(context)} />
      {cost > 0 && <path class="cost" d={stepsOf(spent)} />}
    </>
  );
}
