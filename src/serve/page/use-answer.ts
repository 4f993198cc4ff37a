import { useEffect, useRef, useState } from "preact/hooks";
import { indexChanges } from "./live.ts";
import { askServer, Failure, type Reply } from "./server.ts";

export interface AnswerState<T> {
  /** The last answer; while the next one is awaited, the one before it. */
  answer: T | null;
  notes: readonly string[];
  failure: Failure | null;
  isAsking: boolean;
  again: () => void;
}

/** The newest answers by their paths: the way back shows them at once. */
const recent = new Map<string, Reply<unknown>>();
const MOST_RECENT = 40;

function remember(path: string, answer: Reply<unknown>): void {
  recent.delete(path);
  recent.set(path, answer);
  for (const oldest of recent.keys()) {
    if (recent.size <= MOST_RECENT) return;
    recent.delete(oldest);
  }
}

interface State<T> extends Omit<AnswerState<T>, "again"> {
  /** Also where the index has changed, which nobody has asked for. */
  isOnItsWay: boolean;
}

const NOTHING = { answer: null, notes: [], failure: null, isAsking: true, isOnItsWay: true };

/** Asks, and asks again when the index has changed; without a path nothing is asked. */
export function useAnswer<T>(path: string | null, { isLive = true } = {}): AnswerState<T> {
  const [state, setState] = useState<State<T>>(() => ({ ...NOTHING, ...rememberedOf<T>(path) }));
  const [turn, setTurn] = useState(0);
  const changes = isLive ? indexChanges.value : 0;
  const [seen, setSeen] = useState(changes);
  const asked = useRef("");
  useEffect(() => {
    // While much changes each change would take the place of the last before its answer came: what is on its way is waited for.
    if (!state.isOnItsWay) setSeen(changes);
  }, [changes, state.isOnItsWay]);
  useEffect(() => {
    if (path === null) {
      asked.current = "";
      return setState({ ...NOTHING, isAsking: false, isOnItsWay: false });
    }
    const isAsking = asked.current !== `${turn} ${path}`;
    asked.current = `${turn} ${path}`;
    setState((before) => {
      const shown = isAsking ? { ...before, failure: null, ...rememberedOf<T>(path), isAsking } : before;
      return { ...shown, isOnItsWay: true };
    });
    return answered(path, setState);
  }, [path, turn, seen]);
  return { ...state, again: () => setTurn((number) => number + 1) };
}

/** Asks once; what it returns ends that. */
function answered<T>(path: string, setState: (change: (before: State<T>) => State<T>) => void): () => void {
  const stop = new AbortController();
  const done = { isAsking: false, isOnItsWay: false };
  askServer<T>(path, { signal: stop.signal }).then(
    (reply) => {
      remember(path, reply);
      if (!stop.signal.aborted)
        setState(() => ({ answer: reply.body, notes: reply.notes, failure: null, ...done }));
    },
    (error: unknown) => {
      if (!stop.signal.aborted) setState((before) => ({ ...before, failure: asFailure(error), ...done }));
    },
  );
  return () => stop.abort();
}

function rememberedOf<T>(path: string | null): Partial<State<T>> {
  const known = path === null ? undefined : (recent.get(path) as Reply<T> | undefined);
  return known === undefined ? {} : { answer: known.body, notes: known.notes };
}

export function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure("bug", String(error));
}
