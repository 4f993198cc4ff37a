import { useState } from "preact/hooks";
import { plural } from "../../../text/numbers.ts";
import { Choice, FilterBar, FilterChips } from "../filter-bar.tsx";
import { askedIn, isOfTeam } from "../filters.ts";
import { changeQuery, route } from "../navigation.ts";
import type { Query } from "../route.ts";
import { type FoundHits, hitGroups, TOTAL_WORDS } from "../search/hit-groups.ts";
import { HitList } from "../search/hit-list.tsx";
import { HitPreview } from "../search/hit-preview.tsx";
import { apiPath } from "../server.ts";
import { PageTitle } from "../shell.tsx";
import { AnswerView } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

const SORTS = [
  ["", "Best first"],
  ["newest", "Newest first"],
  ["oldest", "Oldest first"],
] as const;

/** Hits at first, and with each wish for more. */
const HITS = 50;

function searchPath(query: Query): string | null {
  const { q = "", sort = "", n = String(HITS) } = query;
  return q.trim() === "" ? null : apiPath("search", { ...askedIn(query), q, sort, limit: n });
}

/** Where was it said. */
export function SearchPage() {
  const { query } = route.value;
  const { q = "" } = query;
  const asked = useAnswer<FoundHits>(searchPath(query));
  const { answer } = asked;
  return (
    <>
      <PageTitle hidden>{q === "" ? "Search" : `Search: ${q}`}</PageTitle>
      <div class="row filters">
        <FilterBar names={["project", "author", "model", "since", "role", "tool", "has"]} />
        <Choice name="sort" label="Sort" choices={SORTS} />
        <span class="soft">
          {answer !== null && `${TOTAL_WORDS[answer.totalIs]}${plural(answer.total, "hit")}`}
        </span>
      </div>
      {q.trim() === "" ? (
        <SearchTips />
      ) : (
        <AnswerView asked={asked} height={500}>
          {(result) => (result.total === 0 ? <NoHits /> : <Found result={result} />)}
        </AnswerView>
      )}
    </>
  );
}

function Found({ result: { hits, total } }: { result: FoundHits }) {
  const [selected, setSelected] = useState("");
  const shown = (hits.find(({ handle }) => handle === selected) ?? hits[0])?.handle ?? "";
  const more = total > hits.length ? () => showMore(route.value.query) : null;
  return (
    <div class="found">
      <HitList groups={hitGroups(hits)} onSelect={setSelected} selected={shown} more={more} />
      {!isOfTeam(route.value.query) && <HitPreview handle={shown} />}
    </div>
  );
}

function showMore(query: Query): void {
  changeQuery({ n: String(Number(query.n ?? HITS) + HITS) }, { replace: true });
}

function NoHits() {
  return (
    <p class="empty">
      Nothing was found. <FilterChips />
    </p>
  );
}

const TIPS = [
  ["parse config", "both words, anywhere in an entry"],
  ['"race condition"', "these words, one after the other"],
  ["parser -test", "without a word"],
  ["pars*", "words that begin so"],
  ["(tabs OR spaces)", "one or the other"],
  ["role:user since:7d", "filters: also tool: project: model: label: has: until:"],
] as const;

function SearchTips() {
  return (
    <dl class="tips">
      {TIPS.map(([example, meaning]) => (
        <div key={example}>
          <dt>
            <code>{example}</code>
          </dt>
          <dd class="soft">{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
