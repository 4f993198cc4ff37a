import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatDuration, plural } from "../../../text/numbers.ts";
import type { SqlAnswer } from "../../sql-answers.ts";
import { saveCsv, saveJson } from "../download.ts";
import { useKeys } from "../keys.ts";
import { goTo, route } from "../navigation.ts";
import { pageAddress } from "../route.ts";
import { copyText } from "../said.ts";
import { apiPath, type Failure, postJson } from "../server.ts";
import { PageTitle } from "../shell.tsx";
import { addressedAs, namesIn, parametersOf, type Values, valuesFor } from "../sql/parameters.ts";
import { SchemaSide } from "../sql/schema-side.tsx";
import { SqlTable } from "../sql/sql-answer.tsx";
import { FailureNote, GreyBox } from "../states.tsx";
import { asFailure } from "../use-answer.ts";

interface Run {
  answer: SqlAnswer | null;
  failure: Failure | null;
  /** Ends it; null where nothing runs. */
  stop: (() => void) | null;
}

const IDLE: Run = { answer: null, failure: null, stop: null };

/** Any question, in SQL. A link brings a statement here; it runs when a person says so. */
export function SqlPage() {
  const { query } = route.value;
  const asked = query.q ?? "";
  const field = useRef<HTMLTextAreaElement>(null);
  const [sql, setSql] = useState(asked);
  const [typed, setTyped] = useState<Values>({});
  const values = valuesFor(namesIn(sql), { query, typed });
  const [run, setRun] = useState(IDLE);
  useEffect(() => {
    // What has run stands in the address already.
    if (asked === field.current?.value) return;
    setSql(asked);
    setTyped({});
    setRun(IDLE);
  }, [asked]);
  useKeys({ "/": { about: "Go to the statement", run: () => field.current?.focus() } });
  const start = (): void => {
    if (sql.trim() !== "") void runSql({ sql, values }, setRun);
  };
  return (
    <>
      <PageTitle>SQL</PageTitle>
      <div class="workbench">
        <div>
          <Statement field={field} sql={sql} onInput={setSql} onRun={start} />
          <ValueFields
            values={values}
            onInput={(name, value) => setTyped({ ...typed, [name]: value })}
            onRun={start}
          />
          <RunRow question={{ sql, values }} run={run} start={start} />
          <Outcome run={run} />
        </div>
        <SchemaSide onPick={(statement) => goTo(`/sql?${new URLSearchParams({ q: statement })}`)} />
      </div>
    </>
  );
}

function Outcome({ run: { answer, failure, stop } }: { run: Run }) {
  return (
    <>
      {failure !== null && <FailureNote failure={failure} />}
      {stop !== null && answer === null && <GreyBox height={200} />}
      {answer !== null && (
        <div class={stop === null ? "card" : "card asking"}>
          <SqlTable answer={answer} />
        </div>
      )}
    </>
  );
}

interface StatementProps {
  field: RefObject<HTMLTextAreaElement | null>;
  sql: string;
  onInput: (sql: string) => void;
  onRun: () => void;
}

function Statement({ field, sql, onInput, onRun }: StatementProps) {
  return (
    <textarea
      ref={field}
      aria-label="Statement"
      placeholder="SELECT day, cost FROM usage_daily ORDER BY day DESC LIMIT 14"
      rows={Math.min(16, Math.max(5, sql.split("\n").length + 1))}
      spellcheck={false}
      value={sql}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onRun();
      }}
    />
  );
}

interface FieldsProps {
  values: Values;
  onInput: (name: string, value: string) => void;
  onRun: () => void;
}

/** A field for each value that a statement wants. */
function ValueFields({ values, onInput, onRun }: FieldsProps) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <p class="row">
      {entries.map(([name, value]) => (
        <label key={name}>
          <code>:{name}</code>{" "}
          <input
            value={value}
            onInput={({ currentTarget }) => onInput(name, currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && onRun()}
          />
        </label>
      ))}
    </p>
  );
}

interface Question {
  sql: string;
  values: Values;
}

async function runSql({ sql, values }: Question, setRun: (change: (run: Run) => Run) => void): Promise<void> {
  const stopping = new AbortController();
  setRun(({ answer, stop }) => {
    stop?.();
    return { answer, failure: null, stop: () => stopping.abort() };
  });
  try {
    const { body } = await postJson<SqlAnswer>(
      apiPath("sql"),
      { sql, parameters: parametersOf(values) },
      { signal: stopping.signal },
    );
    setRun(() => ({ ...IDLE, answer: body }));
    goTo(pageAddress("/sql", addressedAs(sql, values)), { replace: route.value.query.q === undefined });
  } catch (error) {
    if (stopping.signal.aborted) setRun(({ answer }) => ({ ...IDLE, answer }));
    else setRun(() => ({ ...IDLE, failure: asFailure(error) }));
  }
}

interface RunProps {
  question: Question;
  run: Run;
  start: () => void;
}

function RunRow({ question, run: { answer, stop }, start }: RunProps) {
  return (
    <p class="row">
      {stop === null ? (
        <button type="button" class="primary" onClick={start} title="Ctrl-Enter">
          Run
        </button>
      ) : (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
      <span class="soft">{answer === null ? "Ctrl-Enter runs it" : tellAnswer(answer)}</span>
      {answer !== null && (
        <span class="end">
          <button
            type="button"
            class="quiet"
            onClick={() => saveCsv("rows.csv", answer.columns, answer.rows)}
          >
            csv
          </button>
          <button type="button" class="quiet" onClick={() => saveJson("rows.json", objectsOf(answer))}>
            json
          </button>
          <button type="button" class="quiet" onClick={() => copyText(commandOf(question))}>
            copy as command
          </button>
        </span>
      )}
    </p>
  );
}

function tellAnswer({ rows, truncated, durationMs }: SqlAnswer): string {
  const count = plural(rows.length, "row");
  return `${truncated ? `the first ${count}` : count} · ${formatDuration(durationMs)}`;
}

function objectsOf({ columns, rows }: SqlAnswer): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])));
}

function commandOf({ sql, values }: Question): string {
  const given = Object.entries(values).map(([name, value]) => ` -p ${quoted(`${name}=${value}`)}`);
  return `sessiondb sql ${quoted(sql)}${given.join("")}`;
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
