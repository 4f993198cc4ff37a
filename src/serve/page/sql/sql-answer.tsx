import type { SqlAnswer } from "../../sql-answers.ts";
import { ScrollBox } from "../states.tsx";

export function SqlTable({ answer: { columns, rows, cut } }: { answer: SqlAnswer }) {
  if (rows.length === 0) return <p class="empty">No rows.</p>;
  const isNumber = columns.map((_, at) =>
    rows.every((row) => row[at] === null || typeof row[at] === "number"),
  );
  return (
    <>
      {cut > 0 && <p class="note">Long values are cut off.</p>}
      <ScrollBox name="Rows">
        <table class="data wide">
          <thead>
            <tr>
              {columns.map((column, at) => (
                <th key={column} scope="col" class={isNumber[at] ? "number" : ""}>
                  <bdi>{column}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // Rows have no name but their place.
              <tr key={String(at)}>
                {row.map((value, place) => (
                  <td key={columns[place]} class={isNumber[place] ? "number" : ""}>
                    {value === null ? <i class="soft">null</i> : <bdi>{String(value)}</bdi>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}
