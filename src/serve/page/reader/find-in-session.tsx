import type { Hit, SearchResult } from "../../../search/hits/hit.ts";
import { plural } from "../../../text/numbers.ts";
import { Field } from "../filter-bar.tsx";
import { useKeys } from "../keys.ts";
import { goTo, route } from "../navigation.ts";
import { sessionAddress } from "../route.ts";
import { placeInHandle } from "../search/hit-groups.ts";
import { MarkedText } from "../search/marked-text.tsx";
import { apiPath } from "../server.ts";
import { FailureNote } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

const MOST_HITS = "200";

/** Looks for words in this session alone. */
export function FindInSession({ id }: { id: string }) {
  const { query, place } = route.value;
  const { find = "" } = query;
  const path = find.trim() === "" ? null : apiPath("search", { q: find, session: id, limit: MOST_HITS });
  const { answer, failure } = useAnswer<SearchResult>(path, { isLive: false });
  const hits = (answer?.hits ?? []).toSorted((a, b) => a.line - b.line);
  const at = hits.findIndex(({ handle }) => placeInHandle(handle) === place);
  const step = (by: number): void => {
    const next = hits[(at + by + hits.length) % hits.length] ?? hits[0];
    if (next !== undefined) goTo(hitAddress(next.handle));
  };
  useKeys({
    n: { about: "Next hit", run: () => step(1) },
    N: { about: "Hit before", run: () => step(at === -1 ? 0 : -1) },
  });
  return (
    <search class="find">
      <Field
        name="find"
        id="find"
        label="Find in this session"
        placeholder="Find in this session  f"
        onEnter={() => step(1)}
      />
      {failure !== null && <FailureNote failure={failure} />}
      {answer !== null && path !== null && <SessionHits total={answer.total} hits={hits} place={place} />}
    </search>
  );
}

function SessionHits({ total, hits, place }: { total: number; hits: readonly Hit[]; place: string }) {
  return (
    <details open>
      <summary class="soft">{plural(total, "hit")}</summary>
      <ol>
        {hits.map(({ handle, speaker, snippet, highlights }) => (
          <li key={handle}>
            <a href={hitAddress(handle)} aria-current={placeInHandle(handle) === place ? "true" : undefined}>
              <span class="soft">
                :{placeInHandle(handle)} {speaker}
              </span>{" "}
              <MarkedText text={snippet} ranges={highlights} />
            </a>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** A hit may be on another branch than the one that is read: its own place says which. */
function hitAddress(handle: string): string {
  const { session, query } = route.value;
  return sessionAddress(session, placeInHandle(handle), { ...query, branch: "" });
}
