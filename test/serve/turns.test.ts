import { expect, test } from "vitest";
import { Turns } from "../../src/serve/turns.ts";

const never = new AbortController().signal;

test("so many go on at once; who waits comes next in order, and who has gone away is passed over", async () => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const take = async (name: string, signal = never): Promise<() => void> => {
    const end = await turns.take(signal);
    begun.push(name);
    return end;
  };
  const gone = new AbortController();
  const [endFirst, endSecond] = await Promise.all([take("first"), take("second")]);
  const third = take("third", gone.signal);
  const fourth = take("fourth");
  const fifth = take("fifth");
  gone.abort(new Error("went away"));
  await expect(third).rejects.toThrow("went away");
  endFirst();
  // A turn ends once.
  endFirst();
  const endFourth = await fourth;
  expect(begun).toEqual(["first", "second", "fourth"]);
  endSecond();
  (await fifth)();
  endFourth();
  await Promise.all([take("sixth"), take("seventh")]);
  expect(begun).toEqual(["first", "second", "fourth", "fifth", "sixth", "seventh"]);
});

test("no more than 32 wait, and nobody who has gone away before", async () => {
  const turns = new Turns(0);
  const asked = Array.from({ length: 33 }, () => turns.take(never));
  await expect(asked.pop()).rejects.toMatchObject({ code: "busy" });
  await expect(new Turns(1).take(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
});
