import { expect, test } from "vitest";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { SearchFeeder } from "../../../src/search/feed/feeder.ts";
import { type HandedBatch, TextHandover } from "../../../src/search/feed/handover.ts";
import { TextBlocks } from "../../../src/search/feed/text-blocks.ts";
import { session } from "../../helpers/session-builder.ts";
import { LATER, Store } from "../../indexing/store.ts";

/** What is handed over, and taken by nobody yet. */
function handover({ index }: Store) {
  const blocks = new TextBlocks();
  const batches: HandedBatch[] = [];
  const texts = new TextHandover(index.database, blocks, (batch) => batches.push(batch));
  const handed = { blocks, next: () => batches[0], taken: () => void batches.shift() };
  return { texts, batches, handed };
}

function writeLong(store: Store, sessions: number): void {
  // Three megabytes, and one word.
  const long = `plum${"\u2026".repeat(1_000_000)}`;
  for (let at = 0; at < sessions; at++)
    session({ id: `s${at}` })
      .user(`${at} ${long}`)
      .write(store.path(`s${at}.jsonl`));
}

test("more texts than there is room for are read again", () => {
  const store = new Store();
  writeLong(store, 14);
  const { texts, batches, handed } = handover(store);
  syncAll(store.index, [store.root], { now: LATER, texts });
  expect(batches.length).toBeGreaterThan(1);
  const feeder = new SearchFeeder(store.index);
  expect(feeder.addHanded(handed)).toBeNull();
  expect(feeder.added).toBeLessThan(14);
  feeder.run();
  expect([feeder.added, store.dump()]).toEqual([14, store.rebuilt()]);
});

test("what was taken in makes room for more", () => {
  const store = new Store();
  const { texts, handed } = handover(store);
  const feeder = new SearchFeeder(store.index);
  for (const sessions of [3, 6, 9, 12]) {
    writeLong(store, sessions);
    syncAll(store.index, [store.root], { now: LATER, texts });
    expect(feeder.addHanded(handed)).toBeNull();
    expect(feeder.added).toBe(sessions);
  }
  expect(store.dump()).toEqual(store.rebuilt());
});

test("what comes after entries that were not handed over waits for those", () => {
  const store = new Store();
  session({ id: "a" }).user("apple").write(store.path("a.jsonl"));
  store.sync();
  session({ id: "b" }).user("pear").write(store.path("b.jsonl"));
  const { texts, handed, batches } = handover(store);
  syncAll(store.index, [store.root], { now: LATER, texts });
  const feeder = new SearchFeeder(store.index);
  expect([feeder.addHanded(handed), feeder.added, batches.length]).toEqual([2, 0, 1]);
  feeder.run({ upTo: 1 });
  expect([feeder.addHanded(handed), feeder.added, batches.length]).toEqual([null, 2, 0]);
});
