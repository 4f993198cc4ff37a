import { type ScaleBand, type ScaleLinear, scaleBand, scaleLinear } from "d3-scale";
import { useState } from "preact/hooks";
import { type Point, pathOf } from "./path.ts";
import { type PlotPeriod, periodLabel } from "./period-keys.ts";
import type { Stack } from "./stack.ts";
import { StackTable } from "./stack-table.tsx";
import { useWidth } from "./use-width.ts";

interface BarsProps {
  stack: Stack;
  by: PlotPeriod;
  /** What is plotted, for those who cannot see it. */
  name: string;
  format: (value: number) => string;
  /** A value to stay below, drawn across. */
  limit?: number | undefined;
  /** What the periods before had, place by place. */
  before?: readonly number[] | undefined;
}

const HEIGHT = 220;
const MARGIN = { top: 12, right: 20, bottom: 24, left: 56 };

/** Bars of periods, each made of its parts, with a line about the one that is pointed at. */
export function StackedBars(props: BarsProps) {
  const { stack, by, name, format } = props;
  const [element, width] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number | null>(null);
  const dearest = stack.totals.indexOf(stack.highest);
  const at = pointed === null || pointed >= stack.periods.length ? dearest : pointed;
  const last = stack.periods.length - 1;
  return (
    <figure class="plot">
      <div
        ref={element}
        class="canvas"
        role="slider"
        tabIndex={0}
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={tellPeriod(stack, at, format)}
        onKeyDown={(event) => {
          const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          setPointed(Math.min(last, Math.max(0, at + step)));
        }}
        onPointerLeave={() => setPointed(null)}
      >
        {width > 0 && <Canvas {...props} width={width} pointed={pointed} onPoint={setPointed} />}
      </div>
      <PeriodLine {...props} at={at} isPointed={pointed !== null} />
      <StackTable stack={stack} name={name} by={by} format={format} />
    </figure>
  );
}

function tellPeriod(
  { periods, totals, parts }: Stack,
  at: number,
  format: (value: number) => string,
): string {
  const shown = parts.filter(({ values }) => (values[at] ?? 0) > 0);
  const told = shown.map(({ name, values }) => `${name} ${format(values[at] ?? 0)}`);
  return `${periods[at]}: ${format(totals[at] ?? 0)}; ${told.join(", ")}`;
}

interface PeriodLineProps extends BarsProps {
  at: number;
  isPointed: boolean;
}

/** The parts of one period, in words, which are those of the legend, too. */
function PeriodLine({ stack, at, format, isPointed, before, limit }: PeriodLineProps) {
  return (
    <figcaption>
      <p class="period">
        <b>{stack.periods[at]}</b> {format(stack.totals[at] ?? 0)}
        {!isPointed && <span class="soft">, the most</span>}
      </p>
      <ul class="legend">
        {stack.parts.map(({ name, colour, values, total }) => (
          <li key={name}>
            <i class={`c${colour}`} />
            <bdi>{name}</bdi> <span class="soft">{format(isPointed ? (values[at] ?? 0) : total)}</span>
          </li>
        ))}
        {before !== undefined && (
          <li>
            <i class="dots" />
            the time before {isPointed && <span class="soft">{format(before[at] ?? 0)}</span>}
          </li>
        )}
        {limit !== undefined && (
          <li>
            <i class="dashes" />
            budget <span class="soft">{format(limit)}</span>
          </li>
        )}
      </ul>
    </figcaption>
  );
}

interface CanvasProps extends BarsProps {
  width: number;
  pointed: number | null;
  onPoint: (at: number | null) => void;
}

function Canvas({ stack, by, format, limit, before, width, pointed, onPoint }: CanvasProps) {
  const x = scaleBand<number>(stack.periods.keys(), [MARGIN.left, width - MARGIN.right]).paddingInner(0.18);
  const most = Math.max(stack.highest, limit ?? 0, ...(before ?? []));
  const y = scaleLinear([0, most || 1], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4);
  const at = (event: PointerEvent): number => {
    const left = (event.currentTarget as Element).getBoundingClientRect().left;
    const place = Math.floor((event.clientX - left - MARGIN.left) / x.step());
    return Math.min(stack.periods.length - 1, Math.max(0, place));
  };
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true" onPointerMove={(event) => onPoint(at(event))}>
      <Axes
        x={x}
        y={y}
        width={width}
        label={(place) => periodLabel(stack.periods[place] ?? "", by)}
        format={format}
      />
      {pointed !== null && (
        <rect
          class="here"
          x={x(pointed)}
          y={MARGIN.top}
          width={x.bandwidth()}
          height={HEIGHT - MARGIN.top - MARGIN.bottom}
        />
      )}
      <Bars stack={stack} x={x} y={y} />
      {before !== undefined && <path class="before" d={acrossBars(before, x, y)} />}
      {limit !== undefined && (
        <line class="limit" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(limit)} y2={y(limit)} />
      )}
    </svg>
  );
}

type Across = ScaleBand<number>;
type Up = ScaleLinear<number, number>;

function Bars({ stack: { periods, parts }, x, y }: { stack: Stack; x: Across; y: Up }) {
  const below = periods.map(() => 0);
  const bars = [];
  for (const { name, colour, values } of parts) {
    for (const [at, value] of values.entries()) {
      if (value <= 0) continue;
      const base = below[at] ?? 0;
      below[at] = base + value;
      // A gap of a pixel tells parts apart without their colours.
      const height = Math.max(0.5, y(base) - y(base + value) - (base > 0 ? 1 : 0));
      const top = y(base + value);
      bars.push(
        <rect
          key={`${name} ${at}`}
          class={`c${colour}`}
          x={x(at)}
          y={top}
          width={x.bandwidth()}
          height={height}
        />,
      );
    }
  }
  return <g>{bars}</g>;
}

interface AxesProps {
  x: Across;
  y: Up;
  width: number;
  label: (place: number) => string;
  format: (value: number) => string;
}

/** Between two labels, in pixels. */
const LABEL_ROOM = 72;

function Axes({ x, y, width, label, format }: AxesProps) {
  const every = Math.max(1, Math.ceil(LABEL_ROOM / x.step()));
  const places = x.domain().filter((place) => place % every === 0);
  return (
    <g class="axes">
      {y.ticks(4).map((value) => (
        <g key={value}>
          <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(value)} y2={y(value)} />
          <text x={MARGIN.left - 8} y={y(value)} dy=".35em" text-anchor="end">
            {value === 0 ? "0" : withoutZeros(format(value))}
          </text>
        </g>
      ))}
      {places.map((place) => (
        <text key={place} x={(x(place) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 6} text-anchor="middle">
          {label(place)}
        </text>
      ))}
    </g>
  );
}

/** `$1.500` as `$1.5`. */
function withoutZeros(text: string): string {
  return text.replace(/\.0+$|(\.\d*?)0+$/, "$1");
}

/** A step for each period, across its bar. */
function acrossBars(values: readonly number[], x: Across, y: Up): string {
  const points = values.slice(0, x.domain().length).flatMap((value, at): Point[] => [
    [x(at) ?? 0, y(value)],
    [(x(at) ?? 0) + x.bandwidth(), y(value)],
  ]);
  return pathOf(points);
}
