import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../../reports/answers.ts";
import { parentText, subagentsText } from "../../../text/family.ts";
import { formatCount, formatMoney } from "../../../text/numbers.ts";
import { agoText, homePath, momentText } from "../about.ts";
import { SortHead } from "../filter-bar.tsx";
import { useKeys } from "../keys.ts";
import type { Query } from "../route.ts";
import { FailureNote } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";
import { BLOCK, blockPath, type ListedSession, type ListedSessions } from "./session-blocks.ts";
import { SessionTitle } from "./session-title.tsx";
import { touchedBlocks, virtualWindow } from "./virtual-window.ts";

/** Of a row, in pixels; the style sheet has it, too. */
const HEIGHT = 46;

interface RowsProps {
  query: Query;
  first: ListedSessions;
  decimals: number;
}

/** All sessions that match, as long a list as it takes; those in sight are drawn. */
export function SessionRows({ query, first, decimals }: RowsProps) {
  const list = useRef<HTMLTableSectionElement>(null);
  const { total } = first;
  const { above, view } = useView(list);
  const shown = virtualWindow(above, view, { height: HEIGHT, total });
  useKeys({
    j: { about: "Next row", run: () => focusRow(list.current, 1, total) },
    k: { about: "Row before", run: () => focusRow(list.current, -1, total) },
  });
  return (
    <table class="sessions" aria-label="Sessions" aria-rowcount={total + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {HEADS.map(([name, sort]) =>
            sort === "" ? (
              <th key={name} scope="col" class={name.toLowerCase()}>
                {name}
              </th>
            ) : (
              <SortHead
                key={name}
                kind={name.toLowerCase()}
                title={name}
                sort={sort}
                usual="modified:desc"
                first={sort === "title" ? "asc" : "desc"}
              />
            ),
          )}
        </tr>
      </thead>
      <tbody ref={list}>
        <Space rows={shown.first} />
        {touchedBlocks(shown, BLOCK).map((part) =>
          part.block === 0 ? (
            <Rows key={0} {...part} sessions={first.sessions} decimals={decimals} />
          ) : (
            <Block key={part.block} {...part} query={query} decimals={decimals} />
          ),
        )}
        <Space rows={total - shown.end} />
      </tbody>
    </table>
  );
}

/** Where rows are that are not drawn. */
function Space({ rows }: { rows: number }) {
  return (
    <tr class="space">
      <td colSpan={HEADS.length} style={{ height: `${rows * HEIGHT}px` }} />
    </tr>
  );
}

const HEADS = [
  ["Active", "modified"],
  ["Title", "title"],
  ["Project", ""],
  ["Branches", ""],
  ["Messages", "messages"],
  ["Cost", "cost"],
] as const;

interface Part {
  block: number;
  first: number;
  end: number;
  decimals: number;
}

function Block({ query, ...part }: Part & { query: Query }) {
  const { answer, failure, again } = useAnswer<ListedSessions>(blockPath(query, part.block));
  if (answer === null && failure !== null) {
    return (
      <tr>
        <td colSpan={HEADS.length}>
          <FailureNote failure={failure} again={again} />
        </td>
      </tr>
    );
  }
  return <Rows {...part} sessions={answer?.sessions ?? []} />;
}

function Rows({ block, first, end, sessions, decimals }: Part & { sessions: readonly ListedSession[] }) {
  const rows = [];
  for (let at = first; at < end; at++) {
    rows.push(<SessionRow key={at} row={block * BLOCK + at} session={sessions[at]} decimals={decimals} />);
  }
  return <>{rows}</>;
}

interface RowProps {
  row: number;
  session: ListedSession | undefined;
  decimals: number;
}

function SessionRow({ row, session, decimals }: RowProps) {
  if (session === undefined) {
    return (
      <tr class="waiting" aria-rowindex={row + 2}>
        <td colSpan={HEADS.length} />
      </tr>
    );
  }
  const { project, modifiedAt, branchCount, messageCount, usage } = session;
  return (
    <tr aria-rowindex={row + 2}>
      <td class="active soft" title={momentText(modifiedAt)}>
        {agoText(modifiedAt)}
      </td>
      <td class="title">
        <SessionTitle session={session} row={row} />
        <SessionNotes session={session} />
      </td>
      <td class="project soft" title={project}>
        <bdi>{homePath(project)}</bdi>
      </td>
      <td class="branches">{branchCount > 1 ? formatCount(branchCount) : ""}</td>
      <td class="messages">{formatCount(messageCount)}</td>
      <td class="cost">{formatMoney(usage.cost, decimals)}</td>
    </tr>
  );
}

/** What else is to be said of a session, in one line. */
function SessionNotes({ session }: { session: ListedSession }) {
  const { subagents, project, modifiedAt } = session;
  const family = subagentsText(subagents);
  const own = "author" in session ? [] : [parentOf(session), goneOf(session)];
  const notes = [family === "" ? "" : `+ ${family}`, ...own].filter(Boolean);
  return (
    <span class="notes soft">
      <span class="narrow">
        {agoText(modifiedAt)} · {homePath(project)}
        {notes.length > 0 && " · "}
      </span>
      {notes.join(" · ")}
    </span>
  );
}

function parentOf({ origin, agent, parentPath }: Session): string {
  return origin === "interactive" ? "" : parentText({ origin, agent }, parentPath && idOf(parentPath));
}

function goneOf({ isCwdGone, resumeCwd }: Session): string {
  return isCwdGone && resumeCwd === null ? "directory is gone" : "";
}

/** Files of sessions are called by time and id. */
function idOf(path: string): string {
  return /_([0-9a-f]{8})[^/\\]*$/.exec(path)?.[1] ?? path.split(/[\\/]/).at(-1) ?? path;
}

/** How much of the list is above the view, and how high that is. */
function useView(list: { current: HTMLElement | null }): { above: number; view: number } {
  const [view, setView] = useState({ above: 0, view: innerHeight });
  useEffect(() => {
    const look = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      setView({ above: -top, view: innerHeight });
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [list]);
  return view;
}

/** Moves the focus by rows; the first step goes to the first row in sight. */
function focusRow(list: HTMLElement | null, by: number, total: number): void {
  if (list === null) return;
  const now = document.activeElement?.getAttribute("data-row");
  const top = list.getBoundingClientRect().top;
  const seen = Math.max(0, Math.ceil(-top / HEIGHT));
  const row = Math.min(total - 1, Math.max(0, now == null ? seen : Number(now) + by));
  const at = top + row * HEIGHT;
  if (at < 120 || at > innerHeight - 2 * HEIGHT) scrollBy(0, at - innerHeight / 2);
  // It is drawn once the view has moved.
  const focus = (): void =>
    list.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus({ preventScroll: true });
  requestAnimationFrame(() => requestAnimationFrame(focus));
}
