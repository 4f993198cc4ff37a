import { expect, test } from "vitest";
import { pollUntil } from "./poll-until.ts";

test("the first value that is not absent is returned, zero and the empty string included", async () => {
  const answers = [undefined, null, false, 0] as const;
  let looks = 0;
  expect(await pollUntil(() => answers[looks++])).toBe(0);
  expect(await pollUntil(async () => "")).toBe("");
});

test("a deadline that passes names what was waited for", async () => {
  await expect(pollUntil(() => false, { what: "the moon", deadline: 20 })).rejects.toThrow(
    "the moon after 20 ms",
  );
});

test("an error while looking ends the wait at once", async () => {
  const look = () => {
    throw new Error("broken");
  };
  await expect(pollUntil(look)).rejects.toThrow("broken");
});
