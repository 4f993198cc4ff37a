import type { DaemonFacts } from "../../../cli/daemon/daemon-status.ts";
import type { Finding } from "../../../reports/finding.ts";
import type { Status } from "../../../reports/status.ts";
import { formatBytes, formatCount, plural } from "../../../text/numbers.ts";
import { about, agoText, homePath } from "../about.ts";
import { apiPath } from "../server.ts";
import { PageTitle } from "../shell.tsx";
import { AnswerView, Card } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

interface Doctor {
  ok: boolean;
  findings: Finding[];
}

type WholeStatus = Omit<Status, "recent"> & { daemon: DaemonFacts };

/** Whether everything works: the index, the daemon, and what is to be done. */
export function HealthPage() {
  const status = useAnswer<WholeStatus>(apiPath("status"));
  const doctor = useAnswer<Doctor>(apiPath("doctor"), { isLive: false });
  return (
    <>
      <PageTitle>Health</PageTitle>
      <div class="columns">
        <Card title="Findings">
          <AnswerView asked={doctor} height={160}>
            {({ findings }) => <Findings findings={findings} />}
          </AnswerView>
        </Card>
        <Card title="Index">
          <AnswerView asked={status} height={160}>
            {(answer) => <IndexFacts status={answer} />}
          </AnswerView>
        </Card>
      </div>
    </>
  );
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return <p>Nothing is wrong.</p>;
  return (
    <ul class="findings">
      {findings.map(({ level, what, where, remedy }) => (
        <li key={what + where} class={level}>
          <b>{level}</b> <bdi>{what}</bdi>
          {where !== "" && <div class="soft path">{homePath(where)}</div>}
          {remedy !== "" && <div>{remedy}</div>}
        </li>
      ))}
    </ul>
  );
}

function IndexFacts({ status }: { status: WholeStatus }) {
  const { sessions, subagents, projects, entries, sizeBytes, index, daemon, lastSyncAt } = status;
  const facts: [string, string][] = [
    ["Sessions", `${formatCount(sessions)}${subagents === 0 ? "" : ` + ${plural(subagents, "sub-agent")}`}`],
    ["Projects", formatCount(projects)],
    ["Entries", formatCount(entries)],
    ["Session files", formatBytes(sizeBytes)],
    ["Index", formatBytes(index.bytes)],
    ["Not searchable yet", index.behind === 0 ? "nothing" : plural(index.behind, "entry", "entries")],
    ["Last change", lastSyncAt === null ? "never" : agoText(lastSyncAt)],
    ["Daemon", daemonText(daemon)],
    ["Version", about.value.version],
    ["Time zone", about.value.timezone],
    ["Index file", homePath(index.path)],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={name === "Index file" ? "path" : ""}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function daemonText({ running, state, degraded, queue }: DaemonFacts): string {
  if (!running) return "not running";
  const parts = [
    state ?? "running",
    degraded ?? "",
    queue === 0 ? "" : `${formatCount(queue)} files waiting`,
  ];
  return parts.filter(Boolean).join(", ");
}
