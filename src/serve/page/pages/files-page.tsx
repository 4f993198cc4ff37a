import { useEffect, useRef, useState } from "preact/hooks";
import type { Touches } from "../../../reports/files-touched.ts";
import { plural } from "../../../text/numbers.ts";
import { homePath } from "../about.ts";
import { FilterBar, FilterChips } from "../filter-bar.tsx";
import { filtersIn } from "../filters.ts";
import { changeQuery, route } from "../navigation.ts";
import { type Query, sessionAddress } from "../route.ts";
import { apiPath } from "../server.ts";
import { SessionLine } from "../sessions/session-line.tsx";
import { PageTitle } from "../shell.tsx";
import { AnswerView } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

/** Sessions whose calls are shown. */
const SESSIONS = "100";

function filesPath(query: Query): string | null {
  const { path = "" } = query;
  return path.trim() === "" ? null : apiPath("files", { ...filtersIn(query), path, limit: SESSIONS });
}

/** Which sessions have read or changed a file. */
export function FilesPage() {
  const { query } = route.value;
  const asked = useAnswer<Touches>(filesPath(query));
  return (
    <>
      <PageTitle>Files</PageTitle>
      <div class="row filters">
        <PathField asked={query.path ?? ""} />
        <FilterBar names={["project", "since", "origin"]} />
      </div>
      <p class="row filters">
        <FilterChips />
      </p>
      {filesPath(query) === null ? (
        <p class="empty">
          Name a file or a folder, or how its path ends: <code>src/main.ts</code>.
        </p>
      ) : (
        <AnswerView asked={asked} height={400}>
          {(found) => <Found found={found} />}
        </AnswerView>
      )}
    </>
  );
}

/** How long typing rests before it is asked, in milliseconds. */
const REST = 250;

function PathField({ asked }: { asked: string }) {
  const [text, setText] = useState(asked);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(asked), [asked]);
  return (
    <input
      type="search"
      aria-label="File or folder"
      placeholder="src/main.ts"
      value={text}
      onInput={({ currentTarget: { value } }) => {
        setText(value);
        clearTimeout(rest.current);
        rest.current = setTimeout(() => changeQuery({ path: value.trim() }, { replace: true }), REST);
      }}
    />
  );
}

function Found({ found: { match, touches } }: { found: Touches }) {
  if (touches.length === 0) return <p class="empty">No session has read or changed it with a tool.</p>;
  return (
    <>
      <p class="soft">
        {plural(touches.length, "call")}
        {match === "suffix" && ", of files whose paths, or folders', end so"}
      </p>
      <section class="card">
        <ul class="recent">
          {touches.map(({ file, tool, isError, session, line, timestamp }) => (
            <li key={`${session.path} ${line} ${tool} ${file}`}>
              <a href={sessionAddress(session.id, line)}>
                {tool} <bdi>{homePath(file)}</bdi>
              </a>
              {isError === true && <b>failed</b>}
              <SessionLine session={session} timestamp={timestamp} />
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
