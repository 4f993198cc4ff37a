import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { runs } from "../helpers/fuzz.ts";
import { withIndex } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { appends } from "./operations/appends.ts";
import type { Maker, Operation } from "./operations/operation.ts";
import { sessions } from "./operations/sessions.ts";
import { describeWithEachPi, piWithFirstWriteOf1x, type Release } from "./pi.ts";
import { Random } from "./random.ts";
import { answers, difference, files, outcome, quickAnswers, type Twin, twinOf } from "./twins.ts";

/** Of each kind, of even and of odd number; few of them do most of what there is to do. */
const FEWEST_SEEDS = 4;
const SEEDS = Number(process.env.DIFFERENTIAL_SEEDS ?? Math.max(FEWEST_SEEDS, runs(20)));
const FIRST_SEED = Number(process.env.DIFFERENTIAL_FIRST_SEED ?? 1);
const STEPS = 120;

/** In lives of even number sessions are changed often, in the others they grow long. */
const SESSION_SHARE = [0.25, 0.04] as const;

describeWithEachPi("I-2: pi's class and ours live the same life", (release) => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_760_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(seedsFrom(FIRST_SEED))("seed %i: same results, same errors, same bytes", async (seed) => {
    await liveTogether(release, tempDir(), seed, () => undefined);
  });

  test.each(seedsFrom(FIRST_SEED + 10_000))(
    "seed %i, ours with an index that is brought up to date now and then",
    async (seed) => {
      const dir = tempDir();
      vi.stubEnv("PI_CODING_AGENT_DIR", join(dir, "agent"));
      const random = new Random(seed);
      await liveTogether(release, dir, seed, () => tendIndex(random, dir));
    },
  );
});

function seedsFrom(first: number): number[] {
  return Array.from({ length: SEEDS }, (_, index) => first + index);
}

/** `between` is done before each step. */
async function liveTogether(release: Release, dir: string, seed: number, between: () => void): Promise<void> {
  const ours = twinOf(SessionManager, join(dir, "ours"));
  const pis = twinOf(await piWithFirstWriteOf1x(release), join(dir, "pi"));
  const random = new Random(seed);
  for (let step = 0; step < STEPS; step++) {
    vi.advanceTimersByTime(random.below(3) === 0 ? 0 : 7);
    const share = SESSION_SHARE[seed % 2 === 0 ? 0 : 1];
    const [name, draw] = drawMaker(random, random.next() < share ? sessions : appends);
    between();
    await live(`step ${step}, ${name}`, draw(random, step), ours, pis);
    if (step % 6 === 5) expect(difference(answers(ours), answers(pis)), `step ${step}`).toBeNull();
  }
}

/** What another process may do at any moment: catch up, make the index anew, delete it. Mostly nothing. */
function tendIndex(random: Random, dir: string): void {
  const folder = join(dir, "agent", "sessiondb");
  const draw = random.below(40);
  if (draw === 0) rmSync(folder, { recursive: true, force: true });
  if (draw > 12) return;
  // As if it had been a while, so that files count as settled, or not.
  const now = random.pick([() => Date.now(), () => 4_000_000_000_000]);
  withIndex(folder, (index) => syncAll(index, [join(dir, "ours")], { rebuild: draw === 1, now }));
}

async function live(where: string, operation: Operation, ours: Twin, pis: Twin): Promise<void> {
  const [own, theirs] = [await outcome(ours, operation), await outcome(pis, operation)];
  expect(difference({ outcome: own }, { outcome: theirs }), where).toBeNull();
  expect(difference(quickAnswers(ours), quickAnswers(pis)), where).toBeNull();
  expect(difference(files(ours), files(pis)), where).toBeNull();
}

function drawMaker(random: Random, group: Record<string, Maker>): [string, Maker[1]] {
  const makers = Object.entries(group);
  let mark = random.below(makers.reduce((sum, [, [weight]]) => sum + weight, 0));
  for (const [name, [weight, draw]] of makers) {
    mark -= weight;
    if (mark < 0) return [name, draw];
  }
  throw new Error("the weights do not add up");
}
