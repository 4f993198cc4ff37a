import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { fc } from "../helpers/drawn.ts";
import { runs, SEED } from "../helpers/fuzz.ts";
import { indexIn } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest } from "../helpers/processes.ts";
import { MAIN } from "../helpers/program.ts";
import { type FileEvent, fileEvents, happen } from "../helpers/session-store-model.ts";
import { Store } from "../indexing/store.ts";
import { deaf, Running } from "./running.ts";

const RUNS = runs(30);
const KILLS = runs(16);
/** A little longer than the daemon waits for a rewrite to end. */
const REST_MS = 350;
const PLACES = [
  "--a--/one.jsonl",
  "--a--/two.jsonl",
  "--b--/three.jsonl",
  "four.jsonl",
  "--b--/x/run-1/session.jsonl",
  "--b--",
  "nowhere.jsonl",
];

/** What the file system may tell of a history: anything at all, in any order, any number of times. */
type Step = FileEvent | { kind: "changed"; place: number } | { kind: "pass" };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fileEvents },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("changed" as const), place: fc.nat(PLACES.length - 1) }),
    },
    { weight: 2, arbitrary: fc.constant({ kind: "pass" as const }) },
  ),
  { minLength: 5, maxLength: 40 },
);

test("I-6: whatever was hinted at, after one sweep the index equals one rebuilt from nothing", {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const store = new Store();
      const { watch, changed, unclear } = deaf();
      const intervals = { tickMs: 1e6, sweepMs: 1e6, hotMs: 1e6, feedMs: 5, removalMs: 1e6 };
      const running = await new Running(store, { watch, intervals }).ready();
      for (const step of list) {
        if (step.kind === "changed") changed(store.path(PLACES[step.place] ?? ""));
        else if (step.kind === "pass") await setImmediate();
        else happen(store.root, step);
      }
      // A file that has become smaller is read once nobody has written to it for a moment (B6).
      await setTimeout(REST_MS);
      // Twice, because the first to end may have begun before the last step.
      for (let sweep = 0; sweep < 2; sweep++) {
        const before = running.sweeps;
        unclear();
        await pollUntil(() => running.sweeps > before, { what: "the sweep", every: 1 });
      }
      await running.stop();
      store.feed();
      expect(store.dump()).toEqual(store.rebuilt());
      store.close();
    }),
    { numRuns: RUNS },
  );
});

/** When something was written to the log of an index, in ns; 0 where there is none. */
function lastWritten(indexPath: string): bigint {
  return statSync(`${indexPath}-wal`, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
}

test(`I-1: a daemon that is killed ${KILLS} times while another process writes comes to what a rebuild gives (seed ${SEED})`, {
  timeout: 600_000,
}, async () => {
  const store = new Store();
  const events = fc.sample(fileEvents, { numRuns: 4000, seed: SEED });
  let next = 0;
  const { indexPath } = indexIn(store.indexFolder);
  for (let round = 1; round <= KILLS; round++) {
    const args = [MAIN, "daemon", "run", "--sessions-dir", store.root, "--db", indexPath];
    const child = endWithTest(spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] }));
    const ended = once(child, "exit");
    const before = lastWritten(indexPath);
    const killAt = performance.now() + 150 + 90 * round;
    const goOn = async (): Promise<void> => {
      const event = events[next++ % events.length];
      if (event !== undefined) happen(store.root, event);
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    };
    while (performance.now() < killAt) await goOn();
    // On a slow machine a daemon may have come to nothing by then: some of them are killed once they have.
    const isAtWork = () => goOn().then(() => lastWritten(indexPath) > before);
    if (round % 4 === 0) await pollUntil(isAtWork, { what: "rows of the daemon" });
    child.kill("SIGKILL");
    await ended;
    if (round % 4 > 0) continue;
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
    expect(store.index.database.pragma("integrity_check", { simple: true })).toBe("ok");
    store.close();
  }
});
