import { SessionDbError } from "../errors.ts";

/** A question to the index, as the page asks it: `usage`, with the names and values behind the question mark. */
export interface PageQuestion {
  path: string;
  query: [name: string, value: string][];
}

export interface PageAnswer {
  /** Of HTTP. */
  status: number;
  type: string;
  body: string;
  /** What the answer lacks, as sentences. */
  notes: string[];
}

/** A question on its way to the thread, and what comes back. */
export type NumberedQuestion = PageQuestion & { number: number };
export type NumberedAnswer = PageAnswer & { number: number };

/** The thread that answers, one question after the other. */
export interface Answerer {
  tell(question: NumberedQuestion): void;
}

/** Begins it anew: `hear` gets its answers, `fail` is called when it has ended. */
export type BeginAnswerer = (
  hear: (answer: NumberedAnswer) => void,
  fail: (error: unknown) => void,
) => Answerer;

/** More wait in a page that is asked by one person only if something is wrong. */
const MOST_WAITING = 32;

interface Waiting {
  question: PageQuestion;
  signal: AbortSignal;
  resolve: (answer: PageAnswer) => void;
  reject: (error: unknown) => void;
}

/**
 * Questions to the index, asked one at a time in a thread: SQLite keeps its thread busy while it answers, and nothing ends a
 * statement. So whoever has gone away meanwhile is not asked for any more.
 */
export class QuestionQueue {
  readonly #begin: BeginAnswerer;
  readonly #waiting: Waiting[] = [];
  #answerer: Answerer | null = null;
  #asked: { number: number; waiting: Waiting } | null = null;
  #number = 0;

  constructor(begin: BeginAnswerer) {
    this.#begin = begin;
  }

  /** Begins the thread before anybody asks. */
  begin(): void {
    this.#answerer ??= this.#begin(
      (answer) => this.#hear(answer),
      (error) => this.#fail(error),
    );
  }

  /** @throws SessionDbError `busy` where too many wait; the signal's reason */
  ask(question: PageQuestion, signal: AbortSignal): Promise<PageAnswer> {
    if (this.#waiting.length >= MOST_WAITING) {
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
      if (waiting.signal.aborted) {
        waiting.reject(waiting.signal.reason);
        continue;
      }
      const number = ++this.#number;
      this.#asked = { number, waiting };
      this.begin();
      this.#answerer?.tell({ ...waiting.question, number });
    }
  }

  #hear({ number, ...answer }: NumberedAnswer): void {
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
