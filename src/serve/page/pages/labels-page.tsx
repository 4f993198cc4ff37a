import type { LabelledEntry } from "../../../reports/labels.ts";
import { plural } from "../../../text/numbers.ts";
import { FilterBar, FilterChips } from "../filter-bar.tsx";
import { filtersIn } from "../filters.ts";
import { route } from "../navigation.ts";
import { sessionAddress } from "../route.ts";
import { apiPath } from "../server.ts";
import { SessionLine } from "../sessions/session-line.tsx";
import { PageTitle } from "../shell.tsx";
import { AnswerView } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

/** What was marked in pi, the newest first. */
export function LabelsPage() {
  const asked = useAnswer<{ labels: LabelledEntry[] }>(apiPath("labels", filtersIn(route.value.query)));
  const { answer } = asked;
  return (
    <>
      <div class="row head">
        <PageTitle>Labels</PageTitle>
        {answer !== null && <span class="soft">{plural(answer.labels.length, "label")}</span>}
      </div>
      <FilterBar names={["label", "project", "since"]} />
      <p class="row filters">
        <FilterChips />
      </p>
      <AnswerView asked={asked} height={400}>
        {({ labels }) => (labels.length === 0 ? <NoLabels /> : <Labels labels={labels} />)}
      </AnswerView>
    </>
  );
}

function NoLabels() {
  const isFiltered = Object.keys(filtersIn(route.value.query)).length > 0;
  return (
    <p class="empty">
      {isFiltered ? "No label matches." : "No labels yet: in pi's /tree, Shift-L gives an entry one."}
    </p>
  );
}

function Labels({ labels }: { labels: readonly LabelledEntry[] }) {
  return (
    <section class="card">
      <ul class="recent">
        {labels.map(({ label, preview, role, entryId, session, line, timestamp }) => (
          <li key={`${session.path} ${entryId} ${label}`}>
            <a href={sessionAddress(session.id, line ?? "")}>
              <bdi>{label}</bdi>
            </a>
            <bdi class="about">{preview || role}</bdi>
            <SessionLine session={session} timestamp={timestamp} />
          </li>
        ))}
      </ul>
    </section>
  );
}
