/** What is asked of a call that waits for its result. */
export interface OpenCall {
  /** The message that makes it. */
  place: object;
  facts: { callId: string; name: string };
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
    this.#addTo(call.facts.name, call);
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
    const { place, facts } = call;
    const byId = valueFor(this.#waiting, tool, () => new Map<string, OneMessage<Call>[]>());
    const messages = valueFor(byId, facts.callId, () => []);
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
