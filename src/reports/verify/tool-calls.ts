import { groupedBy } from "../../runtime/collections.ts";
import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import type { Differences } from "./difference.ts";
import type { ReadEntry } from "./read-session.ts";

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
  /** Which message makes it, and which of its calls it is; both count from zero. */
  message: number;
  nth: number;
  /** Unix ms. */
  calledAt: number | null;
}

const UNANSWERED = { answeredAt: null, isError: null, durationMs: null };

/** The tool calls of a session file, each with its result, beside those the index has. */
export class ReadCalls {
  readonly #calls: Call[] = [];
  /** Calls without a result by id and tool, the one that is answered next last. */
  readonly #open = new Map<string, Map<string, OpenCall[]>>();
  /** Messages so far. */
  #messages = 0;

  take({ line, record: { attributes, calls, answers, ranMs, nested } }: ReadEntry): void {
    for (const { isError, durationMs, callId, name, path } of nested) {
      const ended =
        isError === null ? UNANSWERED : { answeredAt: line, isError: Number(isError), durationMs };
      this.#calls.push({ line, callId, name, path, ...ended });
    }
    const made = calls.map(({ callId, name, path }) => ({ line, callId, name, path, ...UNANSWERED }));
    this.#calls.push(...made);
    const message = this.#messages++;
    const opened = made.map((call, nth) => ({ call, message, nth, calledAt: attributes.timestamp }));
    for (const each of opened.reverse()) this.#waitingFor(each.call).push(each);
    const open = answers === null ? undefined : this.#takeOpen(answers, attributes.toolName);
    if (open === undefined) return;
    const isTimed = open.calledAt !== null && attributes.timestamp !== null;
    open.call.answeredAt = line;
    open.call.isError = attributes.isError ? 1 : 0;
    open.call.durationMs = ranMs ?? (isTimed ? Number(attributes.timestamp) - Number(open.calledAt) : null);
  }

  #waitingFor({ callId, name }: Call): OpenCall[] {
    const ofId = this.#open.get(callId) ?? new Map<string, OpenCall[]>();
    const waiting = ofId.get(name) ?? [];
    this.#open.set(callId, ofId.set(name, waiting));
    return waiting;
  }

  /** Ids repeat: a result answers the first call of its tool in the last message that has one open. */
  #takeOpen(callId: string, tool: string | null): OpenCall | undefined {
    const ofId = this.#open.get(callId) ?? new Map<string, OpenCall[]>();
    if (tool !== null) return ofId.get(tool)?.pop();
    const next = [...ofId.values()].flatMap((waiting) => waiting.at(-1) ?? []);
    const [first] = next.sort((a, b) => b.message - a.message || a.nth - b.nth);
    return first && ofId.get(first.call.name)?.pop();
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

/** All attributes of a call as one text: two calls with the same text cannot be told apart. */
function written({ line, callId, name, path, answeredAt, isError, durationMs }: Call): string {
  return JSON.stringify([line, callId, name, path, answeredAt, isError, durationMs]);
}
