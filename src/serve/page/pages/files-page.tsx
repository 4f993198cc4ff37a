import type { Touches } from "../../../reports/files-touched.ts";
import { plural } from "../../../text/numbers.ts";
import { homePath } from "../about.ts";
import { Field, FilterBar, FilterChips } from "../filter-bar.tsx";
import { filtersIn } from "../filters.ts";
import { route } from "../navigation.ts";
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
        <Field name="path" label="File or folder" placeholder="src/main.ts" />
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
