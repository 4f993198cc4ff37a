import type { SessionList } from "../../../reports/answers.ts";
import { decimalsFor, plural } from "../../../text/numbers.ts";
import { saveCsv } from "../download.ts";
import { FilterBar, FilterChips, Switch } from "../filter-bar.tsx";
import { filtersIn } from "../filters.ts";
import { route } from "../navigation.ts";
import type { Query } from "../route.ts";
import { askServer } from "../server.ts";
import { blockPath, listPath } from "../session-blocks.ts";
import { SessionRows } from "../session-rows.tsx";
import { PageTitle } from "../shell.tsx";
import { AnswerView } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

/** Which session was it, and which were dear. */
export function SessionsPage() {
  const { query } = route.value;
  const first = useAnswer<SessionList>(blockPath(query, 0));
  return (
    <>
      <div class="row head">
        <PageTitle>Sessions</PageTitle>
        {first.answer !== null && <span class="soft">{plural(first.answer.total, "session")}</span>}
        <button type="button" class="quiet end" onClick={() => void saveSessions(query)}>
          csv
        </button>
      </div>
      <FilterBar names={["project", "model", "since", "has", "origin", "named"]} />
      <p class="row filters">
        <Switch name="all-sessions" label="Sub-agents in rows of their own" />
        <FilterChips />
      </p>
      <AnswerView asked={first} height={600}>
        {(answer) =>
          answer.total === 0 ? (
            <NoSessions query={query} />
          ) : (
            <SessionRows query={query} first={answer} decimals={decimalsOf(answer)} />
          )
        }
      </AnswerView>
    </>
  );
}

function decimalsOf({ sessions }: SessionList): number {
  return decimalsFor(sessions.reduce((most, { usage }) => Math.max(most, usage.cost), 0));
}

function NoSessions({ query }: { query: Query }) {
  if (Object.keys(filtersIn(query)).length > 0) {
    return (
      <p class="empty">
        No session matches. Remove: <FilterChips />
      </p>
    );
  }
  return <NothingYet />;
}

function NothingYet() {
  return (
    <p class="empty">
      No sessions yet. pi writes them to <code>~/.pi/agent/sessions</code>; <code>sessiondb demo</code> shows
      what there would be to see.
    </p>
  );
}

const COLUMNS = ["id", "title", "project", "modifiedAt", "messageCount", "cost", "subagents", "cwd", "path"];

async function saveSessions(query: Query): Promise<void> {
  const { body } = await askServer<SessionList>(listPath(query, { limit: "0" }));
  const rows = body.sessions.map((each) => [
    each.id,
    each.title,
    each.project,
    each.modifiedAt,
    each.messageCount,
    each.usage.cost,
    each.subagents.sessions,
    each.cwd,
    each.path,
  ]);
  saveCsv("sessions.csv", COLUMNS, rows);
}
