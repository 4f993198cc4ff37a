import type { Database } from "../../db/native.ts";
import { prepared } from "../../db/prepared.ts";
import { groupedBy } from "../grouped.ts";
import type { Differences } from "./compare.ts";
import type { ReadEntry } from "./session-reading.ts";

const CALLS = `SELECT c.line, t.call_id AS callId, t.name, t.path,
    iif(t.result_key IS NULL, NULL, coalesce(r.line, 0)) AS answeredAt, t.is_error AS isError, t.duration_ms AS durationMs
  FROM entry_rows c JOIN tool_calls t ON t.call_key = c.key AND t.file_id = c.file_id
  LEFT JOIN entry_rows r ON r.key = t.result_key
  WHERE c.file_id = ?`;

interface Call {
  line: number;
  callId: string;
  name: string;
  path: string | null;
  /** The line of its result. */
  answeredAt: number | null;
  isError: number | null;
  durationMs: number | null;
}

interface OpenCall {
  call: Call;
  /** Unix ms. */
  calledAt: number | null;
}

const UNANSWERED = { answeredAt: null, isError: null, durationMs: null };

/** The tool calls of a session file, each with its result, beside those the index has. */
export class ReadCalls {
  readonly #calls: Call[] = [];
  /** Calls without a result by id, each with its time, those of the last message first. */
  readonly #open = new Map<string, OpenCall[]>();

  take({ line, digest: { facts, calls, answers, ranMs, nested } }: ReadEntry): void {
    for (const { isError, durationMs, callId, name, path } of nested) {
      const ended =
        isError === null ? UNANSWERED : { answeredAt: line, isError: Number(isError), durationMs };
      this.#calls.push({ line, callId, name, path, ...ended });
    }
    const made = calls.map(({ callId, name, path }) => ({ line, callId, name, path, ...UNANSWERED }));
    this.#calls.push(...made);
    for (const [callId, ofId] of groupedBy(made, (call) => call.callId)) {
      const opened = ofId.map((call) => ({ call, calledAt: facts.timestamp }));
      this.#open.set(callId, [...opened, ...(this.#open.get(callId) ?? [])]);
    }
    const open = answers === null ? undefined : this.#takeOpen(answers, facts.toolName);
    if (open === undefined) return;
    const isTimed = open.calledAt !== null && facts.timestamp !== null;
    open.call.answeredAt = line;
    open.call.isError = facts.isError ? 1 : 0;
    open.call.durationMs = ranMs ?? (isTimed ? Number(facts.timestamp) - Number(open.calledAt) : null);
  }

  /** Ids repeat: a result answers the first call of its tool in the last message that has one open. */
  #takeOpen(callId: string, tool: string | null): OpenCall | undefined {
    const open = this.#open.get(callId) ?? [];
    const answered = open.find(({ call }) => tool === null || call.name === tool);
    this.#open.set(
      callId,
      open.filter((each) => each !== answered),
    );
    return answered;
  }

  compare(database: Database, fileId: number, differences: Differences): void {
    const left = groupedBy(prepared(database, CALLS).all(fileId) as Call[], written);
    for (const call of this.#calls) {
      if (left.get(written(call))?.pop() !== undefined) continue;
      differences.add(`line ${call.line}: the call of ${call.name} is not in the index as it is in the file`);
    }
    for (const call of [...left.values()].flat()) {
      differences.add(`line ${call.line}: the index has a call of ${call.name} that is not in the file`);
    }
  }
}

/** All facts of a call as one text: two calls with the same text cannot be told apart. */
function written({ line, callId, name, path, answeredAt, isError, durationMs }: Call): string {
  return JSON.stringify([line, callId, name, path, answeredAt, isError, durationMs]);
}
