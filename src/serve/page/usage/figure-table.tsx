import type { UsageReport, UsageRow } from "../../../reports/usage/usage-shapes.ts";
import { decimalsFor, formatCompact, formatCount, formatMoney } from "../../../text/numbers.ts";
import { SortHead } from "../filter-bar.tsx";
import { ScrollBox } from "../states.tsx";
import { rowAddress, rowLabel } from "./usage-plots.tsx";

const COLUMNS = [
  ["requests", "Requests"],
  ["input", "Input"],
  ["output", "Output"],
  ["cacheRead", "Cache read"],
  ["cacheWrite", "Cache written"],
  ["totalTokens", "Tokens"],
  ["cost", "Cost"],
] as const;

/** What rows are sorted by is called as the command has it. */
const SORTS: Record<string, string> = { totalTokens: "tokens" };

/** A report, row by row. */
export function FigureTable({ report }: { report: UsageReport }) {
  const decimals = decimalsFor(Math.max(0, ...report.rows.map(({ cost }) => cost)));
  return (
    <ScrollBox name="Figures">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">By</th>
            {COLUMNS.map(([name, title]) => (
              <SortHead key={name} kind="number" title={title} sort={SORTS[name] ?? name} replace />
            ))}
            <th scope="col" class="number">
              From cache
            </th>
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row) => (
            <FigureRow key={`${row.key} ${row.path ?? ""}`} by={report.by} row={row} decimals={decimals} />
          ))}
        </tbody>
        <tfoot>
          <FigureRow by="" row={{ ...report.totals, ...rates(report), key: "All" }} decimals={decimals} />
        </tfoot>
      </table>
    </ScrollBox>
  );
}

function rates({ unpriced, costFromProvider, cacheHitRate, cacheSavings }: UsageReport) {
  return { unpriced, costFromProvider, cacheHitRate, cacheSavings, averageMs: null, tokensPerSecond: null };
}

function FigureRow({ by, row, decimals }: { by: string; row: UsageRow; decimals: number }) {
  const href = rowAddress(by, row.key);
  const label = <bdi>{rowLabel(by, row)}</bdi>;
  return (
    <tr>
      <th scope="row" class="about">
        {href === undefined ? label : <a href={href}>{label}</a>}
      </th>
      {COLUMNS.map(([name]) => (
        <td key={name} class="number">
          {name === "cost"
            ? formatMoney(row.cost, decimals)
            : name === "requests"
              ? formatCount(row.requests)
              : formatCompact(row[name])}
        </td>
      ))}
      <td class="number">{row.cacheHitRate === null ? "" : `${Math.round(row.cacheHitRate * 100)}%`}</td>
    </tr>
  );
}
