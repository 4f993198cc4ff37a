import { expect, test } from "vitest";
import { SignIn } from "../../src/serve/sign-in.ts";

function tokenFor(signIn: SignIn, code: string): string {
  const exchanged = signIn.exchange(code);
  if (typeof exchanged === "string") throw new Error(exchanged);
  return exchanged.token;
}

test("a code gives a token once, and the token holds", () => {
  const signIn = new SignIn(() => 0);
  const code = signIn.issue();
  expect(Buffer.from(code, "base64url")).toHaveLength(16);
  const token = tokenFor(signIn, code);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  expect([signIn.holds(token), signIn.holds(`${token}x`), signIn.holds(""), signIn.holds(code)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("a code that comes again takes its token back, and no other", () => {
  const signIn = new SignIn(() => 0);
  const [seen, other] = [signIn.issue(), signIn.issue()];
  const [token, another] = [tokenFor(signIn, seen), tokenFor(signIn, other)];
  expect(signIn.exchange(seen)).toBe("again");
  expect([signIn.holds(token), signIn.holds(another)]).toEqual([false, true]);
  expect(signIn.exchange(seen)).toBe("unknown");
});

test("a code is good for a minute", () => {
  let now = 0;
  const signIn = new SignIn(() => now);
  const [early, late] = [signIn.issue(), signIn.issue()];
  now = 60_000;
  expect(typeof signIn.exchange(early)).toBe("object");
  now = 60_001;
  expect(signIn.exchange(late)).toBe("late");
  expect(signIn.exchange("")).toBe("unknown");
});
