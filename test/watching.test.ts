import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isMissing } from "./helpers/peers.ts";
import { pollUntil } from "./helpers/poll-until.ts";
import { endWithTest } from "./helpers/processes.ts";
import { tempDir } from "./helpers/temp-dir.ts";

interface Appended {
  path: string;
  id: string;
  /** CLOCK_MONOTONIC, in ms. */
  at: number;
}

/** What a program of the bench answers to a question, and when it was asked, in ms of the same clock. */
async function ask(
  program: string,
  agentDir: string,
  question: object,
): Promise<{ asked: number; appended: Appended[] }> {
  const path = join(import.meta.dirname, "bench/watching", program);
  const child = endWithTest(fork(path, [JSON.stringify({ agentDir, number: 1 })]));
  await once(child, "message");
  const asked = Number(process.hrtime.bigint()) / 1e6;
  child.send(question);
  const [answer] = await once(child, "message");
  return { asked, appended: answer.appended };
}

/** The entries of all session files, headers left out, as `path id`. */
function entriesIn(agentDir: string): string[] {
  const root = join(realpathSync(agentDir), "sessions");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => {
      const lines = readFileSync(join(root, name), "utf8").trim().split("\n");
      return lines
        .map((line) => JSON.parse(line))
        .map(({ type, id }) => ({ type, name: `${join(root, name)} ${id}` }));
    })
    .filter(({ type }) => type !== "session")
    .map(({ name }) => name);
}

describe.skipIf(isMissing("piAgentModule", "piAiModule"))("what the bench measures a daemon with", () => {
  test("pi talks and calls tools at the rate it is told, and every line is known with its moment", async () => {
    let [agentDir, asked, appended] = ["", 0, [] as Appended[]];
    let rate = 80;
    // pi on a busy machine does not come to any rate; it comes to some.
    while (appended.length < rate && rate > 5) {
      rate /= 2;
      agentDir = realpathSync(tempDir());
      ({ asked, appended } = await ask("talk.mjs", agentDir, { rate, seconds: 1 }));
    }
    expect(appended.map(({ path, id }) => `${path} ${id}`).toSorted()).toEqual(
      entriesIn(agentDir).toSorted(),
    );
    const moments = appended.map(({ at }) => at);
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    const [first = 0, last = 0] = [moments.at(0), moments.at(-1)];
    expect(first).toBeGreaterThan(asked);
    // It ends with the exchange in which the time is up, and is never ahead of its rate.
    expect(appended.length).toBeGreaterThanOrEqual(rate);
    expect(last - asked).toBeGreaterThan(800);
  });

  test("of each burst the last line is known", async () => {
    const agentDir = realpathSync(tempDir());
    const { appended } = await ask("burst.mjs", agentDir, { bursts: 20 });
    const entries = entriesIn(agentDir);
    expect(appended).toHaveLength(20);
    expect(entries.length).toBeGreaterThan(60);
    const ends = appended.map(({ path, id }) => entries.indexOf(`${path} ${id}`));
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    expect(ends.at(-1)).toBe(entries.length - 1);
  });
});

test.each(["ours", "chokidar"])("what the bench compares watchers by hears of an append: %s", async (who) => {
  const root = realpathSync(tempDir());
  const file = join(root, "a.jsonl");
  writeFileSync(file, "");
  const program = join(import.meta.dirname, "bench/watching/watch.mjs");
  const built = join(import.meta.dirname, "../build");
  const child = endWithTest(fork(program, [who, built, root]));
  await once(child, "message");
  appendFileSync(file, "{}\n");
  await pollUntil(async () => {
    child.send({});
    const [{ heard }] = await once(child, "message");
    return heard > 0;
  });
});
