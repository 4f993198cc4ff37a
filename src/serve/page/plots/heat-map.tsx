import { scaleQuantile } from "d3-scale";
import { useEffect, useState } from "preact/hooks";
import type { UsageRow } from "../../../reports/usage/usage-shapes.ts";
import { formatMoney } from "../../../text/numbers.ts";
import { about } from "../about.ts";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);

/** When money is spent: a table of days and hours, turned on its side where there is little room. */
export function HeatMap({ rows }: { rows: readonly UsageRow[] }) {
  const isNarrow = useIsNarrow();
  const costs = new Map(rows.map(({ key, cost }) => [key, cost]));
  const spent = [...costs.values()].filter((cost) => cost > 0);
  const level = scaleQuantile<number>().domain(spent).range([1, 2, 3, 4]);
  const days = about.value.weekStart === "sunday" ? [...DAYS.slice(6), ...DAYS.slice(0, 6)] : DAYS;
  const [across, down] = isNarrow ? [days, HOURS] : [HOURS, days];
  const cell = (column: string, row: string) => {
    const key = isNarrow ? `${column} ${row}` : `${row} ${column}`;
    const cost = costs.get(key) ?? 0;
    return (
      <td key={key} class={`h${cost > 0 ? level(cost) : 0}`} title={`${key}  ${formatMoney(cost)}`}>
        <span class="unseen">{formatMoney(cost)}</span>
      </td>
    );
  };
  return (
    <table class="heat">
      <caption class="unseen">Cost by hour of the week, US dollars</caption>
      <thead>
        <tr>
          <td />
          {across.map((each, at) => (
            <th key={each} scope="col">
              <span class={isNarrow || at % 3 === 0 ? "" : "unseen"}>{each.replace(":00", "")}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {down.map((row) => (
          <tr key={row}>
            <th scope="row">{row.replace(":00", "")}</th>
            {across.map((column) => cell(column, row))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const narrow = matchMedia("(max-width: 40rem)");

/** Whether the page is as narrow as a phone, as the style sheets have it. */
function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(narrow.matches);
  useEffect(() => {
    const look = (): void => setIsNarrow(narrow.matches);
    narrow.addEventListener("change", look);
    return () => narrow.removeEventListener("change", look);
  }, []);
  return isNarrow;
}
