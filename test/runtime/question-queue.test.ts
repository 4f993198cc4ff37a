import { expect, test } from "vitest";
import {
  type NumberedAnswer,
  type NumberedQuestion,
  QuestionQueue,
} from "../../src/runtime/question-queue.ts";

/** A thread that answers when it is told to. */
class PatientThread {
  readonly asked: NumberedQuestion<string>[] = [];
  begun = 0;
  #hear: (answer: NumberedAnswer<string>) => void = () => undefined;
  fail: (error: unknown) => void = () => undefined;

  readonly begin = (hear: (answer: NumberedAnswer<string>) => void, fail: (error: unknown) => void) => {
    this.begun++;
    this.#hear = hear;
    this.fail = fail;
    return { tell: (question: NumberedQuestion<string>) => void this.asked.push(question) };
  };

  answer(number: number): void {
    this.#hear({ number, answer: `answer ${number}` });
  }
}

const never = new AbortController().signal;

test("one question is asked at a time, and who has gone away is not asked for", async () => {
  const thread = new PatientThread();
  const queue = new QuestionQueue(thread.begin);
  const gone = new AbortController();
  const first = queue.ask("usage", never);
  const typed = queue.ask("search?par", gone.signal);
  const last = queue.ask("search?parse", never);
  expect(thread.asked.map(({ question }) => question)).toEqual(["usage"]);
  gone.abort(new Error("typed on"));
  thread.answer(1);
  expect(await first).toBe("answer 1");
  await expect(typed).rejects.toThrow("typed on");
  expect(thread.asked.map(({ question }) => question)).toEqual(["usage", "search?parse"]);
  thread.answer(2);
  expect(await last).toBe("answer 2");
  expect(thread.begun).toBe(1);
});

test("a thread that dies fails what it was asked, and the next question begins another", async () => {
  const thread = new PatientThread();
  const queue = new QuestionQueue(thread.begin);
  const lost = queue.ask("a", never);
  const next = queue.ask("b", never);
  thread.fail(new Error("out of memory"));
  await expect(lost).rejects.toThrow("out of memory");
  expect([thread.begun, thread.asked.at(-1)?.question]).toEqual([2, "b"]);
  thread.answer(2);
  expect(await next).toBe("answer 2");
});

test("no more wait than it is told", async () => {
  const queue = new QuestionQueue(new PatientThread().begin, { most: 32 });
  const asked = Array.from({ length: 34 }, (_, at) => queue.ask(`${at}`, never));
  const last = asked.pop();
  await expect(last).rejects.toMatchObject({ code: "busy" });
  // The others wait for ever.
  for (const each of asked) each.catch(() => undefined);
});
