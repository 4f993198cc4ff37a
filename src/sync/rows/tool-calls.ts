import type { Database, Statement } from "../../db/native.ts";
import type { EntryDigest } from "../../format/digest.ts";
import type { ToolCallFacts } from "../../format/entry.ts";
import type { NestedCallFacts } from "../../format/nested-calls.ts";
import type { EntryPlace } from "./rows.ts";

const INSERT = `INSERT INTO tool_calls (file_id, call_id, name, path, call_key, result_key, is_error, duration_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/**
 * Call ids repeat: local servers count from zero, or send none. So a result answers, of the calls of its id and its tool
 * that have no result, the first one of the last message that makes some: results come in the order of the calls.
 */
const OPEN_CALL = `SELECT t.key, e.timestamp FROM tool_calls t JOIN entry_rows e ON e.key = t.call_key
  WHERE t.file_id = ? AND t.call_id = ? AND t.name = coalesce(?, t.name) AND t.result_key IS NULL
  ORDER BY t.call_key DESC, t.key LIMIT 1`;

const ANSWER = "UPDATE tool_calls SET result_key = ?, is_error = ?, duration_ms = ? WHERE key = ?";

/** Writes the rows of `tool_calls`. */
export class ToolCallStore {
  readonly #insert: Statement;
  readonly #openCall: Statement;
  readonly #answer: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(INSERT);
    this.#openCall = database.prepare(OPEN_CALL).raw();
    this.#answer = database.prepare(ANSWER);
  }

  /** The calls of one file; one without rows need not be asked for calls made earlier. */
  open(fileId: number, hasRows: boolean): ToolCalls {
    return new ToolCalls(
      (call) => this.#write(fileId, call),
      (result) => {
        if (hasRows) this.#answerEarlier(fileId, result);
      },
    );
  }

  #write(fileId: number, { place, facts, timestamp, result }: MadeCall): void {
    const { callId, name, path } = facts;
    const answer = result ? [result.key, result.isError, durationOf(timestamp, result)] : [null, null, null];
    this.#insert.run(fileId, callId, name, path, place.key, ...answer);
  }

  #answerEarlier(fileId: number, { callId, tool, ...result }: MadeResult): void {
    const open = this.#openCall.get(fileId, callId, tool) as [number, number | null] | undefined;
    if (open === undefined) return;
    const [key, calledAt] = open;
    this.#answer.run(result.key, result.isError, durationOf(calledAt, result), key);
  }
}

interface MadeCall {
  place: EntryPlace;
  facts: ToolCallFacts;
  /** Unix ms. */
  timestamp: number | null;
  result: CallResult | null;
}

interface CallResult {
  key: number;
  isError: 0 | 1;
  /** As it was measured; null where it was not. */
  ranMs: number | null;
  /** Unix ms. */
  timestamp: number | null;
}

interface MadeResult extends CallResult {
  callId: string;
  /** Null where it does not say. */
  tool: string | null;
}

/** From the call to its result, where nobody has measured it. */
function durationOf(calledAt: number | null, { ranMs, timestamp }: CallResult): number | null {
  if (ranMs !== null) return ranMs;
  return timestamp !== null && calledAt !== null ? timestamp - calledAt : null;
}

/**
 * Calls and results of one file, in file order. Most calls are answered a line or two later: they wait here, so that
 * each row is written once and nothing is looked up (a tenth of what writing a file's rows takes). All wait to the end,
 * so that the rows stand in the order of the calls, whichever was answered first and whenever that was read.
 */
export class ToolCalls {
  readonly #made: MadeCall[] = [];
  /** Calls without a result, by id. */
  readonly #open = new Map<string, MadeCall[]>();
  readonly #insert: (call: MadeCall) => void;
  readonly #answerEarlier: (result: MadeResult) => void;

  constructor(insert: (call: MadeCall) => void, answerEarlier: (result: MadeResult) => void) {
    this.#insert = insert;
    this.#answerEarlier = answerEarlier;
  }

  take(place: EntryPlace, { facts, calls, answers, ranMs, nested }: EntryDigest): void {
    const { timestamp, isError, toolName } = facts;
    for (const call of calls) this.#await({ place, facts: call, timestamp, result: null });
    for (const call of nested) this.#made.push(nestedCall(place, call));
    if (answers === null) return;
    const result: CallResult = { key: place.key, isError: isError ? 1 : 0, ranMs, timestamp };
    const call = this.#takeOpen(answers, toolName);
    if (call) call.result = result;
    else this.#answerEarlier({ ...result, callId: answers, tool: toolName });
  }

  /** See `OPEN_CALL`. */
  #takeOpen(callId: string, tool: string | null): MadeCall | undefined {
    const open = this.#open.get(callId) ?? [];
    const isOfTool = ({ facts }: MadeCall): boolean => tool === null || facts.name === tool;
    const message = open.findLast(isOfTool)?.place;
    const first = open.findIndex((call) => call.place === message && isOfTool(call));
    return first < 0 ? undefined : open.splice(first, 1)[0];
  }

  /** Writes the calls. To be called once, before the transaction ends. */
  save(): void {
    for (const call of this.#made) this.#insert(call);
  }

  #await(call: MadeCall): void {
    const { callId } = call.facts;
    this.#made.push(call);
    const waiting = this.#open.get(callId);
    if (waiting) waiting.push(call);
    else this.#open.set(callId, [call]);
  }
}

/** A call that stands in the result of another one, and how it ended. When it was made nobody has noted. */
function nestedCall(place: EntryPlace, facts: NestedCallFacts): MadeCall {
  const { isError, durationMs } = facts;
  const result: CallResult = { key: place.key, isError: isError ? 1 : 0, ranMs: durationMs, timestamp: null };
  return { place, facts, timestamp: null, result: isError === null ? null : result };
}
