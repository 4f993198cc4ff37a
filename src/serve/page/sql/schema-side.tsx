import type { describeSchema, SchemaTable } from "../../../reports/sql/describe-schema.ts";
import { apiPath } from "../server.ts";
import { AnswerView } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";

type Schema = ReturnType<typeof describeSchema>;

const EXAMPLES: readonly (readonly [name: string, statement: string])[] = [
  [
    "The dearest sessions",
    "SELECT title, cost, session_id\nFROM session_summary\nORDER BY cost DESC\nLIMIT 20",
  ],
  ["What each day has cost", "SELECT day, cost, requests\nFROM usage_daily\nORDER BY day DESC\nLIMIT 31"],
  [
    "Tools, and how often they fail",
    "SELECT name, count(*) AS calls, sum(is_error) AS failed\nFROM tool_calls\nGROUP BY name\nORDER BY calls DESC",
  ],
];

/** What can be asked for, beside the statement. */
export function SchemaSide({ onPick }: { onPick: (statement: string) => void }) {
  const asked = useAnswer<Schema>(apiPath("schema"), { isLive: false });
  return (
    <aside class="schema" aria-label="Schema">
      <h2>Examples</h2>
      <ul>
        {EXAMPLES.map(([name, statement]) => (
          <li key={name}>
            <button type="button" class="link" onClick={() => onPick(statement)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      <AnswerView asked={asked} height={400}>
        {({ views, tables }) => (
          <>
            <h2>Views</h2>
            <Tables tables={views} />
            <h2>Tables</h2>
            <Tables tables={tables.filter(({ internal }) => !internal)} />
          </>
        )}
      </AnswerView>
    </aside>
  );
}

function Tables({ tables }: { tables: readonly SchemaTable[] }) {
  return (
    <>
      {tables.map(({ name, about, columns }) => (
        <details key={name}>
          <summary>
            <code>{name}</code>
          </summary>
          <p class="soft">{about}</p>
          <dl>
            {columns.map((column) => (
              <div key={column.name}>
                <dt>
                  <code>{column.name}</code>
                </dt>
                <dd class="soft">{column.about}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </>
  );
}
