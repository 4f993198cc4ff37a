import { useEffect, useRef, useState } from "preact/hooks";
import type { Outline } from "../../../reports/read-conversation.ts";
import { plural } from "../../../text/numbers.ts";
import { goTo, route } from "../navigation.ts";
import { FindInSession } from "../reader/find-in-session.tsx";
import { branchAddress, OutlineSide } from "../reader/outline-side.tsx";
import { outlinePath, type ReadBranch } from "../reader/piece-path.ts";
import { Pieces, type Target } from "../reader/pieces.tsx";
import { isHiding, ReaderHead } from "../reader/reader-head.tsx";
import { SpendingPlot } from "../reader/spending-plot.tsx";
import { useCurrentEntry } from "../reader/use-current-entry.ts";
import { useReaderKeys } from "../reader/use-reader-keys.ts";
import { sessionAddress } from "../route.ts";
import { PageTitle } from "../shell.tsx";
import { FailureNote, GreyBox } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

/** What happened in a session: a branch of it, with its outline and what it has cost. */
export function ReaderPage() {
  const { session, place, query } = route.value;
  const { answer, failure, again } = useAnswer<Outline>(outlinePath(session, place, query));
  if (answer === null) {
    return (
      <>
        <PageTitle>{session}</PageTitle>
        {failure === null ? <GreyBox height={600} /> : <FailureNote failure={failure} again={again} />}
      </>
    );
  }
  const branch = branchFor(answer);
  return (
    <>
      {failure !== null && <FailureNote failure={failure} again={again} />}
      <Reader key={`${answer.session.path} ${branch.branch}`} outline={answer} branch={branch} />
    </>
  );
}

/** The branch that the outline is of: an entry names it, unless it is the one that the session is on. */
function branchFor({ session, last }: Outline): ReadBranch {
  const isCurrent = last === null || last.id === session.leafId;
  return { session: session.path, branch: isCurrent ? "" : (last.id ?? `:${last.line}`) };
}

function Reader({ outline, branch }: { outline: Outline; branch: ReadBranch }) {
  const [total, setTotal] = useState(outline.total);
  const [target, setTarget] = useState<Target | null>(null);
  const current = useCurrentEntry();
  const jump = (place: number): void => setTarget((before) => ({ place, turn: (before?.turn ?? 0) + 1 }));
  useJumpToAddress(outline, jump);
  useReaderKeys({ outline, current, jump });
  const fresh = outline.total - total;
  return (
    <div class="reader">
      <ReaderHead outline={outline} />
      <SpendingPlot outline={outline} place={current.place} onJump={jump} />
      <aside class="side">
        <FindInSession id={outline.session.id} />
        <OutlineSide outline={outline} place={current.place} onJump={jump} />
      </aside>
      <article class="transcript-column" aria-label="Conversation" onClickCapture={followPlace}>
        <Hiders />
        <Pieces branch={branch} total={Math.min(total, outline.total)} target={target} />
        {outline.total === 0 && <p class="empty">Nothing was said in this session.</p>}
      </article>
      {fresh > 0 && (
        <button
          type="button"
          class="pill"
          onClick={() => {
            setTotal(outline.total);
            jump(total);
          }}
        >
          {plural(fresh, "new entry", "new entries")} ↓
        </button>
      )}
    </div>
  );
}

/** Goes to the entry that the address names, once for each address. */
function useJumpToAddress({ place, session }: Outline, jump: (place: number) => void): void {
  const gone = useRef("");
  const address = `${session.path}:${route.value.place}`;
  useEffect(() => {
    if (route.value.place === "" || gone.current === address || place === null) return;
    gone.current = address;
    jump(place);
  }, [address, place]);
}

/** The renderer's style hides what they are checked for. */
function Hiders() {
  return (
    <div class="transcript" hidden>
      <input type="checkbox" class="hide-thinking" checked={isHiding("thinking")} readOnly />
      <input type="checkbox" class="hide-tools" checked={isHiding("tools")} readOnly />
    </div>
  );
}

/** Links in the conversation name an entry (`#L16`) or another branch (`?branch=`): both are places of this page. */
function followPlace(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const href = link?.getAttribute("href") ?? "";
  const { session, query } = route.value;
  if (href.startsWith("#L")) goTo(sessionAddress(session, href.slice(2), query));
  else if (href.startsWith("?branch=")) {
    const above = link?.closest(".fork")?.previousElementSibling?.closest("[id]")?.id.slice(1) ?? "";
    const id = new URLSearchParams(href).get("branch") ?? "";
    goTo(branchAddress(above, { id, line: 0 }));
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
