import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FullTextFeed } from "../../../daemon/components/full-text-feed.ts";
import { INTERVALS } from "../../../daemon/components/scheduler.ts";
import { type ErrorCode, SessionDbError } from "../../../src/errors.ts";
import type { Fed } from "../../../src/search/feed/feeder.ts";
import type { PurgeState } from "../../../src/search/purge.ts";
import type { FullText } from "../../../src/search/worker-client.ts";

const ALL: Fed = { complete: true, behind: 0, added: 1, needsPurge: false };
const SOME: Fed = { complete: false, behind: 7, added: 1, needsPurge: false };
/** A feed loop with a clock that goes on when it is told to, and a full text whose slices come to what they are told. */
class Looping {
  readonly feeds: (Fed | ErrorCode)[] = [];
  readonly tidies: boolean[] = [];
  readonly purges: PurgeState[] = [];
  /** What was asked of the full text, and when. */
  done: string[] = [];
  readonly logged: string[] = [];
  damages = 0;
  /** What happens while the full text is fed. */
  meanwhile: () => void = () => undefined;
  readonly feed: FullTextFeed;
  #now = 0;

  constructor() {
    this.feed = new FullTextFeed(
      {
        intervals: INTERVALS,
        clock: { wall: () => this.#now, steady: () => this.#now },
        log: { write: (event) => void this.logged.push(event) },
        scheduler: { wake: () => undefined },
        emit: () => void this.damages++,
      },
      () => this.#open(),
    );
  }

  /** Lets the time pass, and does what is due on the way. */
  async until(time: number): Promise<void> {
    for (let due = this.feed.nextAt(); due <= time; due = this.feed.nextAt()) {
      this.#now = Math.max(this.#now, due);
      this.feed.work();
      for (let turn = 0; turn < 5; turn++) await setImmediate();
    }
    this.#now = time;
  }

  #open(): FullText {
    this.#note("open");
    return {
      feed: async () => {
        this.#note("feed");
        this.meanwhile();
        const answer = this.feeds.shift() ?? ALL;
        if (typeof answer === "string") throw new SessionDbError(answer, "it cannot");
        return answer;
      },
      tidy: async () => this.#note("tidy") && (this.tidies.shift() ?? true),
      purge: async () => this.#note("purge") && (this.purges.shift() ?? "done"),
      close: async () => void this.#note("close"),
    };
  }

  #note(what: string): true {
    this.done.push(`${what} ${this.#now}`);
    return true;
  }
}

test("new rows wait half a second for others; merging follows when none have come for long, and then the thread ends", async () => {
  const it = new Looping();
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(300);
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(100_000);
  expect(it.done).toEqual(["open 500", "feed 500", "tidy 30500", "close 30500"]);
  expect(it.feed.isQuiet).toBe(true);
});

test("what one slice has not come to the next one does at once", async () => {
  const it = new Looping();
  it.feeds.push(SOME, SOME);
  it.tidies.push(false);
  it.purges.push("underway");
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(501);
  expect(it.done).toEqual(["open 500", "feed 500", "feed 500", "feed 500"]);
  expect(it.feed.behind).toBe(0);
});

test("rows that come while others are made searchable are not forgotten", async () => {
  const it = new Looping();
  it.meanwhile = () => {
    it.meanwhile = () => undefined;
    it.feed.handle({ kind: "rowsChanged" });
  };
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(2000);
  expect(it.done).toEqual(["open 500", "feed 500", "feed 1000"]);
});

test("it says how much is not searchable yet", async () => {
  const it = new Looping();
  it.feeds.push(SOME, "busy");
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(600);
  expect(it.feed.behind).toBe(7);
});

test("merging and purging go on slice by slice, a purge with pauses", async () => {
  const it = new Looping();
  it.feeds.push({ ...ALL, needsPurge: true });
  it.tidies.push(false);
  it.purges.push("underway");
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(1_000_000);
  expect(it.done).toEqual([
    "open 500",
    "feed 500",
    "tidy 30500",
    "tidy 30500",
    "close 30500",
    "open 300500",
    "purge 300500",
    "purge 301000",
    "close 301000",
  ]);
  expect(it.logged).toEqual(["purged"]);
});

const timeOf = (done: string) => Number(done.split(" ")[1]);

test("D5: a purge that waits for somebody who reads comes ever more seldom, keeps no thread, and keeps no text waiting", async () => {
  const it = new Looping();
  it.feeds.push({ ...ALL, needsPurge: true });
  it.purges.push(...Array<PurgeState>(12).fill("in_use"));
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(301_000);
  expect(it.feed.isQuiet).toBe(true);
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(10_000_000);
  const at = (what: string) => it.done.filter((done) => done.startsWith(what)).map(timeOf);
  const purges = at("purge ");
  const pauses = purges.map((time, nth) => (time - (purges[nth - 1] ?? 0)) / 1000);
  expect(pauses).toEqual([300.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  expect(at("feed ")).toEqual([500, 301_500]);
  expect(it.logged).toEqual(["purged"]);
});

test("D18: a full text that another process writes is tried again after a second, without a word", async () => {
  const it = new Looping();
  it.feeds.push("busy", "busy");
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(3000);
  expect(it.done).toEqual(["open 500", "feed 500", "feed 1500", "feed 2500"]);
  expect([it.feed.trouble, it.logged]).toEqual([null, []]);
});

test("one that fails is said to, closed, and tried again ever later until it works", async () => {
  const it = new Looping();
  it.feeds.push("io", "io");
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(1000);
  expect(it.feed.trouble).toMatch(/^the full text cannot be brought up to date: it cannot$/);
  await it.until(5000);
  expect(it.done).toEqual([
    "open 500",
    "feed 500",
    "close 500",
    "open 1500",
    "feed 1500",
    "close 1500",
    "open 3500",
    "feed 3500",
  ]);
  expect([it.feed.trouble, it.logged, it.damages]).toEqual([null, ["fullTextFailed", "fullTextFailed"], 0]);
});

test("D9: one that is damaged is told of once nobody of ours has it open", async () => {
  const it = new Looping();
  it.feeds.push("index_corrupt");
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(500);
  expect([it.damages, it.done]).toEqual([1, ["open 500", "feed 500", "close 500"]]);
});

test("E12: which file's text is left out, because reading it has ended the thread, stands in the log, once", async () => {
  const it = new Looping();
  it.feeds.push({ ...SOME, leftOut: "/a.jsonl" }, { ...ALL, leftOut: "/a.jsonl" });
  it.feed.handle({ kind: "rowsChanged" });
  await it.until(501);
  expect([it.done.length, it.logged]).toEqual([3, ["textLeftOut"]]);
});
