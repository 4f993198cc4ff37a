import { useState } from "preact/hooks";
import { ScrollBox } from "../states.tsx";
import type { PlotPeriod } from "./period-keys.ts";
import type { Stack } from "./stack.ts";

interface TableProps {
  stack: Stack;
  by: PlotPeriod;
  name: string;
  format: (value: number) => string;
}

/** The plot in figures. */
export function StackTable({ stack, by, name, format }: TableProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="figures" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Table</summary>
      {isOpen && (
        <ScrollBox name={name}>
          <table class="data">
            <caption class="unseen">{name}</caption>
            <thead>
              <tr>
                <th scope="col">{TIMES[by]}</th>
                <th scope="col" class="number">
                  All
                </th>
                {stack.parts.map((part) => (
                  <th key={part.name} scope="col" class="number">
                    <bdi>{part.name}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {stack.periods.map(
                (period, at) =>
                  (stack.totals[at] ?? 0) > 0 && (
                    <PeriodRow key={period} stack={stack} at={at} format={format} />
                  ),
              )}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </details>
  );
}

const TIMES = { hourly: "Hour", daily: "Day", weekly: "Week of", monthly: "Month" };

function PeriodRow({ stack, at, format }: { stack: Stack; at: number; format: (value: number) => string }) {
  return (
    <tr>
      <th scope="row">{stack.periods[at]}</th>
      <td class="number">{format(stack.totals[at] ?? 0)}</td>
      {stack.parts.map(({ name, values }) => (
        <td key={name} class="number">
          {(values[at] ?? 0) === 0 ? "" : format(values[at] ?? 0)}
        </td>
      ))}
    </tr>
  );
}
