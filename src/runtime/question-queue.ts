import type { MessagePort } from "node:worker_threads";
import { SessionDbError } from "../errors.ts";
import { Thread } from "./thread.ts";

/** A question on its way to the thread, and what comes back. */
export interface NumberedQuestion<Question> {
  number: number;
  question: Question;
}
export interface NumberedAnswer<Answer> {
  number: number;
  answer: Answer;
}

/** Begins the thread that answers: `hear` gets its answers, `fail` is called when it has ended. */
export type BeginAnswerer<Question, Answer> = (
  hear: (answer: NumberedAnswer<Answer>) => void,
  fail: (error: unknown) => void,
) => { tell(question: NumberedQuestion<Question>): void };

/** A thread whose module calls `answerQuestions`. */
export function threadFor<Orders, Question, Answer>(
  module: URL,
  orders: Orders,
): BeginAnswerer<Question, Answer> {
  return (hear, fail) => {
    const thread = new Thread<Orders, NumberedQuestion<Question>, NumberedAnswer<Answer>>({
      module,
      orders,
      hear,
      fail,
    });
    thread.unref();
    return thread;
  };
}

/** In the thread: answers each question of its queue. */
export function answerQuestions<Question, Answer>(
  port: MessagePort,
  answerTo: (question: Question) => Promise<Answer>,
): void {
  port.on("message", async ({ number, question }: NumberedQuestion<Question>) => {
    port.postMessage({ number, answer: await answerTo(question) } satisfies NumberedAnswer<Answer>);
  });
}

interface Waiting<Question, Answer> {
  question: Question;
  signal: AbortSignal | undefined;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Questions that are asked one at a time in a thread: SQLite keeps its thread busy while it answers, and nothing ends a
 * statement. So whoever has gone away meanwhile is not asked for any more.
 */
export class QuestionQueue<Question, Answer> {
  readonly #begin: BeginAnswerer<Question, Answer>;
  readonly #most: number;
  readonly #waiting: Waiting<Question, Answer>[] = [];
  #answerer: ReturnType<BeginAnswerer<Question, Answer>> | null = null;
  #asked: { number: number; waiting: Waiting<Question, Answer> } | null = null;
  #number = 0;

  /** @param most how many may wait */
  constructor(begin: BeginAnswerer<Question, Answer>, { most = Number.POSITIVE_INFINITY } = {}) {
    this.#begin = begin;
    this.#most = most;
  }

  /** Begins the thread before anybody asks: loading what answers takes as long as many answers. */
  begin(): void {
    this.#answerer ??= this.#begin(
      (answer) => this.#hear(answer),
      (error) => this.#fail(error),
    );
  }

  /** @throws SessionDbError `busy` where too many wait; the signal's reason; what has ended the thread */
  ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    if (this.#waiting.length >= this.#most) {
      const hint = "Try again in a moment.";
      return Promise.reject(new SessionDbError("busy", "too much is being asked at once", { hint }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, signal, resolve, reject });
      this.#askNext();
    });
  }

  #askNext(): void {
    while (this.#asked === null) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) return;
      if (waiting.signal?.aborted) {
        waiting.reject(waiting.signal.reason);
        continue;
      }
      const number = ++this.#number;
      this.#asked = { number, waiting };
      this.begin();
      this.#answerer?.tell({ number, question: waiting.question });
    }
  }

  #hear({ number, answer }: NumberedAnswer<Answer>): void {
    if (this.#asked?.number !== number) return;
    const { waiting } = this.#asked;
    this.#asked = null;
    waiting.resolve(answer);
    this.#askNext();
  }

  /** The next question begins another thread: what has ended this one may not be in it. */
  #fail(error: unknown): void {
    const asked = this.#asked;
    this.#answerer = null;
    this.#asked = null;
    asked?.waiting.reject(error);
    this.#askNext();
  }
}
