import type { ToolCallAttributes } from "../../format/entry.ts";
import type { NestedCallAttributes } from "../../format/nested-calls.ts";
import type { EntryRecord } from "../../format/record.ts";
import type { Database, Statement } from "../native.ts";
import type { EntryPlace } from "./entry-rows.ts";
import { RowInsert } from "./row-sql.ts";

/** What is asked of a call that waits for its result. */
export interface OpenCall {
  /** The message that makes it. */
  place: object;
  attributes: { callId: string; name: string };
  /** Null until it is answered. */
  result: unknown;
}

/** Calls of one id that one message makes, of one tool or of any. */
interface OneMessage<Call> {
  place: object;
  calls: Call[];
  /** How many at the beginning of `calls` have been answered. */
  answered: number;
}

/**
 * Calls that wait for their results. Call ids repeat: local servers count from zero, or send none. So a result answers,
 * of the calls of its id and its tool that have no result, the first one of the last message that makes some: results come
 * in the order of the calls. However many wait, no call is looked at more than twice.
 */
export class OpenCalls<Call extends OpenCall> {
  /** By tool, and under null those of any tool; then by id, the last message last. */
  readonly #waiting = new Map<string | null, Map<string, OneMessage<Call>[]>>();

  /** Calls are added in the order of the file. */
  add(call: Call): void {
    this.#addTo(call.attributes.name, call);
    this.#addTo(null, call);
  }

  /** The call that a result answers, which has to be given its result before the next one is asked for. `tool`: null for any. */
  answeredBy(callId: string, tool: string | null): Call | undefined {
    const messages = this.#waiting.get(tool)?.get(callId) ?? [];
    for (let last = messages.at(-1); last !== undefined; last = messages.at(-1)) {
      const call = firstOpen(last);
      if (call !== undefined) return call;
      messages.pop();
    }
    return undefined;
  }

  #addTo(tool: string | null, call: Call): void {
    const { place, attributes } = call;
    const byId = valueFor(this.#waiting, tool, () => new Map<string, OneMessage<Call>[]>());
    const messages = valueFor(byId, attributes.callId, () => []);
    const last = messages.at(-1);
    if (last?.place === place) last.calls.push(call);
    else messages.push({ place, calls: [call], answered: 0 });
  }
}

/** A call may have been answered as one of any tool, or as one of its own. */
function firstOpen<Call extends OpenCall>(message: OneMessage<Call>): Call | undefined {
  const { calls } = message;
  while (calls[message.answered]?.result) message.answered++;
  return calls[message.answered];
}

function valueFor<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** A call that a tool has made stands in the result of that tool: no result of its own comes. */
const IS_OF_MESSAGE = `(SELECT k.role FROM entry_rows e JOIN entry_kinds k ON k.id = e.kind WHERE e.key = call_key) = 'assistant'`;

/** The call that a result answers, as `OpenCalls` says, with its time. The index holds only open calls, in this order. */
const OPEN_OF_TOOL = `SELECT t.key, (SELECT e.timestamp FROM entry_rows e WHERE e.key = t.call_key)
  FROM tool_calls t INDEXED BY tool_calls_open
  WHERE file_id = @fileId AND call_id = @callId AND name = @tool AND result_key IS NULL AND call_key =
    (SELECT max(call_key) FROM tool_calls INDEXED BY tool_calls_open
     WHERE file_id = @fileId AND call_id = @callId AND name = @tool AND result_key IS NULL AND ${IS_OF_MESSAGE})
  ORDER BY t.key LIMIT 1`;

/** The call that a result without a tool's name answers. */
const OPEN_OF_ANY_TOOL = `SELECT t.key, (SELECT e.timestamp FROM entry_rows e WHERE e.key = t.call_key)
  FROM tool_calls t INDEXED BY tool_calls_open_of_any_tool
  WHERE file_id = @fileId AND call_id = @callId AND result_key IS NULL AND call_key =
    (SELECT max(call_key) FROM tool_calls INDEXED BY tool_calls_open_of_any_tool
     WHERE file_id = @fileId AND call_id = @callId AND result_key IS NULL AND ${IS_OF_MESSAGE})
  ORDER BY t.key LIMIT 1`;

const ANSWER = "UPDATE tool_calls SET result_key = ?, is_error = ?, duration_ms = ? WHERE key = ?";

/** Writes the rows of `tool_calls`. */
export class ToolCallTable {
  readonly #insert: RowInsert<"tool_calls", "key">;
  readonly #openOfTool: Statement;
  readonly #openOfAnyTool: Statement;
  readonly #answer: Statement;

  constructor(database: Database) {
    this.#insert = new RowInsert(database, "tool_calls", { left: ["key"] });
    this.#openOfTool = database.prepare(OPEN_OF_TOOL).raw();
    this.#openOfAnyTool = database.prepare(OPEN_OF_ANY_TOOL).raw();
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

  #write(fileId: number, { place, attributes, timestamp, result }: MadeCall): void {
    this.#insert.run({
      fileId,
      callId: attributes.callId,
      name: attributes.name,
      path: attributes.path,
      callKey: place.key,
      resultKey: result?.key ?? null,
      isError: result?.isError ?? null,
      durationMs: result === null ? null : durationOf(timestamp, result),
    });
  }

  #answerEarlier(fileId: number, { callId, tool, ...result }: MadeResult): void {
    const statement = tool === null ? this.#openOfAnyTool : this.#openOfTool;
    const open = statement.get({ fileId, callId, tool }) as [number, number | null] | undefined;
    if (open === undefined) return;
    const [key, calledAt] = open;
    this.#answer.run(result.key, result.isError, durationOf(calledAt, result), key);
  }
}

interface MadeCall {
  place: EntryPlace;
  attributes: ToolCallAttributes;
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
  readonly #open = new OpenCalls<MadeCall>();
  readonly #insert: (call: MadeCall) => void;
  readonly #answerEarlier: (result: MadeResult) => void;

  constructor(insert: (call: MadeCall) => void, answerEarlier: (result: MadeResult) => void) {
    this.#insert = insert;
    this.#answerEarlier = answerEarlier;
  }

  take(place: EntryPlace, { attributes, calls, answers, ranMs, nested }: EntryRecord): void {
    const { timestamp, isError, toolName } = attributes;
    for (const call of calls) this.#await({ place, attributes: call, timestamp, result: null });
    for (const call of nested) this.#made.push(nestedCall(place, call));
    if (answers === null) return;
    const result: CallResult = { key: place.key, isError: isError ? 1 : 0, ranMs, timestamp };
    const call = this.#open.answeredBy(answers, toolName);
    if (call) call.result = result;
    else this.#answerEarlier({ ...result, callId: answers, tool: toolName });
  }

  /** Writes the calls. To be called once, before the transaction ends. */
  save(): void {
    for (const call of this.#made) this.#insert(call);
  }

  #await(call: MadeCall): void {
    this.#made.push(call);
    this.#open.add(call);
  }
}

/** A call that stands in the result of another one, and how it ended. When it was made nobody has noted. */
function nestedCall(place: EntryPlace, attributes: NestedCallAttributes): MadeCall {
  const { isError, durationMs } = attributes;
  const result: CallResult = { key: place.key, isError: isError ? 1 : 0, ranMs: durationMs, timestamp: null };
  return { place, attributes, timestamp: null, result: isError === null ? null : result };
}
