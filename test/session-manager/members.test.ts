import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SessionManager } from "../../src/session/session-manager.ts";
import { peers } from "../helpers/peers.ts";
import { describeWithEachPi, piAsReleased, type Release } from "./pi.ts";

/** Members pi declares as public, by the beginnings of the lines of its class. */
function declaredMembers({ peer }: Release): { instance: string[]; statics: string[] } {
  const text = readFileSync(peers[peer].replace(/\.js$/, ".d.ts"), "utf8");
  const body = text.slice(text.indexOf("export declare class SessionManager {"));
  const named = (pattern: RegExp) => [
    ...new Set([...body.matchAll(pattern)].map(([, name]) => String(name))),
  ];
  return {
    instance: named(/^ {4}(?!private|static|constructor)(\w+)[<(]/gm),
    statics: named(/^ {4}static (\w+)[<(]/gm),
  };
}

/** How many arguments a method takes before the first with a default. */
function arity(owner: object, name: string): number | undefined {
  const method: unknown = Reflect.get(owner, name);
  return typeof method === "function" ? method.length : undefined;
}

describeWithEachPi("the class has every public member of pi's", (release) => {
  test("methods, with as many arguments", async () => {
    const Pi = await piAsReleased(release);
    const { instance } = declaredMembers(release);
    expect(instance.length).toBeGreaterThan(30);
    const counts = (owner: object) => instance.map((name) => [name, arity(owner, name)]);
    expect(counts(SessionManager.prototype)).toEqual(counts(Pi.prototype));
  });

  test("static methods, with as many arguments", async () => {
    const Pi = await piAsReleased(release);
    const { statics } = declaredMembers(release);
    expect(statics).toHaveLength(8);
    const counts = (owner: object) => statics.map((name) => [name, arity(owner, name)]);
    expect(counts(SessionManager)).toEqual(counts(Pi));
  });
});

test("entries are counted by id, as in pi 1.x", () => {
  const manager = SessionManager.inMemory();
  manager.appendThinkingLevelChange("high");
  expect(manager.getEntryCount()).toBe(1);
});

test("a manager works behind a Proxy, as pi's does", () => {
  const manager = new Proxy(SessionManager.inMemory(), {});
  const id = manager.appendMessage({ role: "user", content: "hello", timestamp: 1 });
  manager.appendContextEdit(id, null);
  expect(manager.branchWithSummary(id, "s")).toBe(manager.getLeafId());
  expect(manager.getBranch().map((entry) => entry.type)).toEqual(["message", "branch_summary"]);
});
