import { expect, test } from "vitest";
import { type NumberedAnswer, type NumberedQuestion, QuestionQueue } from "../../src/serve/question-queue.ts";

/** A thread that answers when it is told to. */
class PatientThread {
  readonly asked: NumberedQuestion[] = [];
  begun = 0;
  #hear: (answer: NumberedAnswer) => void = () => undefined;
  fail: (error: unknown) => void = () => undefined;

  readonly begin = (hear: (answer: NumberedAnswer) => void, fail: (error: unknown) => void) => {
    this.begun++;
    this.#hear = hear;
    this.fail = fail;
    return { tell: (question: NumberedQuestion) => void this.asked.push(question) };
  };

  answer(number: number): void {
    this.#hear({ number, status: 200, type: "application/json", body: `${number}`, notes: [] });
  }
}

const never = new AbortController().signal;
const question = (path: string) => ({ path, query: [] });

test("one question is asked at a time, and who has gone away is not asked for", async () => {
  const thread = new PatientThread();
  const queue = new QuestionQueue(thread.begin);
  const gone = new AbortController();
  const first = queue.ask(question("usage"), never);
  const typed = queue.ask(question("search?par"), gone.signal);
  const last = queue.ask(question("search?parse"), never);
  expect(thread.asked.map(({ path }) => path)).toEqual(["usage"]);
  gone.abort(new Error("typed on"));
  thread.answer(1);
  expect((await first).body).toBe("1");
  await expect(typed).rejects.toThrow("typed on");
  expect(thread.asked.map(({ path }) => path)).toEqual(["usage", "search?parse"]);
  thread.answer(2);
  expect((await last).body).toBe("2");
  expect(thread.begun).toBe(1);
});

test("a thread that dies fails what it was asked, and the next question begins another", async () => {
  const thread = new PatientThread();
  const queue = new QuestionQueue(thread.begin);
  const lost = queue.ask(question("a"), never);
  const next = queue.ask(question("b"), never);
  thread.fail(new Error("out of memory"));
  await expect(lost).rejects.toThrow("out of memory");
  expect([thread.begun, thread.asked.at(-1)?.path]).toEqual([2, "b"]);
  thread.answer(2);
  expect((await next).status).toBe(200);
});

test("no more than 32 wait", async () => {
  const queue = new QuestionQueue(new PatientThread().begin);
  const asked = Array.from({ length: 34 }, (_, at) => queue.ask(question(`${at}`), never));
  const last = asked.pop();
  await expect(last).rejects.toMatchObject({ code: "busy" });
  // The others wait for ever.
  for (const each of asked) each.catch(() => undefined);
});
