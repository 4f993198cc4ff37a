import { SessionDbError } from "../errors.ts";
import { Cleaner } from "../render/exported-session.ts";
import { assertReads } from "../reports/sql/read-only-gate.ts";
import { distinctNames } from "../reports/sql/run-sql.ts";
import { SqlProcess } from "../reports/sql/sql-client.ts";
import { type SqlBatch, type SqlParameters, type SqlValue, withIntegers } from "../reports/sql/sql-rows.ts";
import type { IndexLocation } from "../store/location.ts";
import { plainValue } from "../text/safe-json.ts";

interface SqlQuestion {
  sql: string;
  parameters?: SqlParameters;
}

export interface SqlAnswer extends Omit<SqlBatch, "rows"> {
  schemaVersion: 1;
  /** In the order of the columns: integers beyond 2^53 as texts, blobs in hexadecimal. */
  rows: unknown[][];
  durationMs: number;
}

const LIMITS = { limit: 1000, cellLimit: 2000 };
const TIMEOUT_MS = 10_000;

interface SqlPlace {
  location: IndexLocation;
  /** The compiled program that runs a statement. */
  program: string;
  reveal: boolean;
}

/**
 * Runs a statement in a process of its own, which is ended where nobody waits for it any more, or where it takes too long.
 *
 * @throws SessionDbError as `runSql`; `busy` while another statement runs
 */
export class SqlAnswers {
  readonly #place: SqlPlace;
  /** Null as soon as nobody waits for the last one. */
  #running: SqlProcess | null = null;

  constructor(place: SqlPlace) {
    this.#place = place;
  }

  async run(question: unknown, signal: AbortSignal): Promise<SqlAnswer> {
    const { sql, parameters = {} } = questionOf(question);
    assertReads(sql);
    signal.throwIfAborted();
    if (this.#running !== null) {
      throw new SessionDbError("busy", "a statement is running already", { hint: "Stop it first." });
    }
    const child = new SqlProcess(this.#place.program);
    this.#running = child;
    const end = (): void => {
      child.end();
      if (this.#running === child) this.#running = null;
    };
    signal.addEventListener("abort", end);
    try {
      return await this.#answerOf(child, sql, parameters);
    } catch (error) {
      throw error instanceof SessionDbError && error.code === "timeout" ? late(error) : error;
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  }

  async #answerOf(child: SqlProcess, sql: string, parameters: SqlParameters): Promise<SqlAnswer> {
    const { location, reveal } = this.#place;
    const clean = new Cleaner({ reveal });
    const begun = performance.now();
    const answer: SqlAnswer = {
      schemaVersion: 1,
      columns: [],
      rows: [],
      truncated: false,
      cut: 0,
      durationMs: 0,
    };
    const request = { location, sql, parameters: withIntegers(parameters), limits: LIMITS };
    for await (const batch of child.run(request, TIMEOUT_MS)) {
      answer.columns = distinctNames(batch.columns);
      for (const row of batch.rows) answer.rows.push(row.map((value) => shown(value, clean)));
      answer.truncated = batch.truncated;
      answer.cut += batch.cut;
    }
    answer.durationMs = Math.round(performance.now() - begun);
    return answer;
  }
}

/** Without the hint for those who can allow more time. */
function late({ message }: SessionDbError): SessionDbError {
  return new SessionDbError("timeout", message, { hint: "Ask for less." });
}

function shown(value: SqlValue, clean: Cleaner): unknown {
  return typeof value === "string" ? clean.json(value) : plainValue("", value);
}

function questionOf(value: unknown): SqlQuestion {
  if (typeof value === "object" && value !== null && "sql" in value && typeof value.sql === "string") {
    const named = "parameters" in value ? value.parameters : undefined;
    if (named === undefined) return { sql: value.sql };
    if (isValues(named)) return { sql: value.sql, parameters: { named } };
  }
  throw new SessionDbError("usage", "a statement is {sql, parameters}", {
    hint: "Parameters are values by name: texts, numbers or null.",
  });
}

function isValues(value: unknown): value is Record<string, string | number | null> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => each === null || ["string", "number"].includes(typeof each));
}
