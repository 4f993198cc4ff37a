import type { WasteKind, WasteReport } from "../../../reports/waste/waste-shapes.ts";
import { formatCount, formatMoney } from "../../../text/numbers.ts";
import { route } from "../navigation.ts";
import { sessionAddress } from "../route.ts";
import { apiPath } from "../server.ts";
import { AnswerView, Card } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";
import { spentFilters } from "./usage-asked.ts";

const KINDS: Record<WasteKind, string> = {
  abandoned: "Abandoned branches",
  cacheMisses: "Missed caches",
  compactions: "Repeated compactions",
  failed: "Failed requests",
};

/** What was spent in vain, and where to look. */
export function WasteCard({ span }: { span: string }) {
  const asked = useAnswer<WasteReport>(
    apiPath("waste", { ...spentFilters(route.value.query, span), limit: "5" }),
  );
  return (
    <Card title="Spent in vain">
      <AnswerView asked={asked} height={220}>
        {(report) => <Waste report={report} />}
      </AnswerView>
    </Card>
  );
}

function Waste({ report }: { report: WasteReport }) {
  if (report.wasted.requests === 0) return <p class="empty">Nothing that can be told from the sessions.</p>;
  return (
    <>
      <WasteTable report={report} />
      <ul class="recent">
        {report.sessions.map(({ key, label, path, cost }) => (
          <li key={path}>
            <a href={sessionAddress(key)}>
              <bdi>{label || "(empty)"}</bdi>
            </a>
            <span class="number">{formatMoney(cost)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function WasteTable({ report: { rows, wasted } }: { report: WasteReport }) {
  return (
    <table class="data">
      <thead>
        <tr>
          <th scope="col">What for</th>
          {["Requests", "Cost", "Of all"].map((name) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, requests, cost, share }) => (
          <WasteLine key={key} name={KINDS[key]} requests={requests} cost={cost} share={share} />
        ))}
      </tbody>
      <tfoot>
        <WasteLine name="All, each once" {...wasted} />
      </tfoot>
    </table>
  );
}

function WasteLine({
  name,
  requests,
  cost,
  share,
}: {
  name: string;
  requests: number;
  cost: number;
  share: number | null;
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{formatCount(requests)}</td>
      <td class="number">{formatMoney(cost)}</td>
      <td class="number">{share === null ? "" : `${Math.round(share * 1000) / 10}%`}</td>
    </tr>
  );
}
