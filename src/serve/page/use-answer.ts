import { useEffect, useState } from "preact/hooks";
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

type State<T> = Omit<AnswerState<T>, "again">;

const NOTHING = { answer: null, notes: [], failure: null, isAsking: true };

/** Asks, and asks again when the index has changed; without a path nothing is asked. */
export function useAnswer<T>(path: string | null, { isLive = true } = {}): AnswerState<T> {
  const [state, setState] = useState<State<T>>(() => ({ ...NOTHING, ...rememberedOf<T>(path) }));
  const [turn, setTurn] = useState(0);
  const changes = isLive ? indexChanges.value : 0;
  useEffect(() => {
    if (path === null) return setState({ ...NOTHING, isAsking: false });
    const stop = new AbortController();
    setState((before) => ({ ...before, failure: null, ...rememberedOf<T>(path), isAsking: true }));
    askServer<T>(path, { signal: stop.signal }).then(
      (answer) => {
        remember(path, answer);
        setState({ answer: answer.body, notes: answer.notes, failure: null, isAsking: false });
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setState((before) => ({ ...before, failure: asFailure(error), isAsking: false }));
      },
    );
    return () => stop.abort();
  }, [path, turn, changes]);
  return { ...state, again: () => setTurn((number) => number + 1) };
}

function rememberedOf<T>(path: string | null): Partial<State<T>> {
  const known = path === null ? undefined : (recent.get(path) as Reply<T> | undefined);
  return known === undefined ? {} : { answer: known.body, notes: known.notes };
}

export function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure("bug", String(error));
}
