import { decimalsFor, plural } from "../../../text/numbers.ts";
import { saveAnswer } from "../download.ts";
import { FilterBar, FilterChips, Switch } from "../filter-bar.tsx";
import { filtersIn, isOfTeam } from "../filters.ts";
import { route } from "../navigation.ts";
import type { Query } from "../route.ts";
import { blockPath, type ListedSessions, listPath } from "../sessions/session-blocks.ts";
import { SessionRows } from "../sessions/session-rows.tsx";
import { PageTitle } from "../shell.tsx";
import { AnswerView, NothingYet } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

/** Which session was it, and which were dear. */
export function SessionsPage() {
  const { query } = route.value;
  const first = useAnswer<ListedSessions>(blockPath(query, 0));
  return (
    <>
      <div class="row head">
        <PageTitle>Sessions</PageTitle>
        {first.answer !== null && <span class="soft">{plural(first.answer.total, "session")}</span>}
        <button
          type="button"
          class="quiet end"
          onClick={() => void saveAnswer("sessions.csv", listPath(query, { limit: "0", csv: "true" }))}
        >
          csv
        </button>
      </div>
      <FilterBar names={["project", "author", "model", "since", "has", "origin", "named"]} />
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

function decimalsOf({ sessions }: ListedSessions): number {
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
  return isOfTeam(query) ? <p class="empty">Nothing was pushed yet.</p> : <NothingYet />;
}
