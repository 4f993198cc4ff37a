import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { IndexSupervisor } from "../../../daemon/components/index-supervisor.ts";
import { Roots } from "../../../daemon/components/roots.ts";
import { NOTHING_EXCLUDED } from "../../../src/files/session-path.ts";
import { CrashJournal, READING } from "../../../src/store/crash-journal.ts";
import { takeLock } from "../../../src/store/lock.ts";
import { indexIn, usualFolder } from "../../helpers/open-index.ts";

const CLOCK = { wall: () => 1e12, steady: () => 1000 };

interface Surroundings {
  journal?: CrashJournal | null;
  isDiskFull?: () => boolean;
}

/** Keeps the index of a folder, and what it has noted. */
function supervisorOf(folder: string, { journal = null, isDiskFull = () => false }: Surroundings = {}) {
  const events: string[] = [];
  const log = { write: (event: string) => void events.push(event) };
  const context = {
    ...{ isExcluded: NOTHING_EXCLUDED, location: indexIn(folder), roots: new Roots([]) },
    ...{ clock: CLOCK, log },
  };
  const options = { isDiskFull, journal };
  const supervisor = new IndexSupervisor({ ...context, emit: () => undefined }, options);
  onTestFinished(() => supervisor.close());
  return { supervisor, events };
}

function failureOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function damageIn(folder: string): void {
  writeFileSync(indexIn(folder).indexPath, "no database, ".repeat(1000));
}

test("E12: a file that ended the daemon is given up once, not each time the index is opened", () => {
  const folder = usualFolder();
  for (let death = 0; death < 2; death++) new CrashJournal(folder, READING).begin("/a.jsonl", 0);
  const { supervisor, events } = supervisorOf(folder, { journal: new CrashJournal(folder, READING) });
  const { index } = supervisor.open();
  const status = () => index.database.prepare("SELECT status FROM files").pluck().get();
  expect([status(), events]).toEqual(["failed", ["diedReading"]]);
  supervisor.close();
  supervisor.open();
  expect(events).toEqual(["diedReading"]);
});

test("D9, D24: a damaged full text is not made anew over and over", () => {
  const { supervisor, events } = supervisorOf(usualFolder());
  supervisor.open();
  for (let time = 0; time < 3; time++) supervisor.handle({ kind: "fullTextDamaged" });
  expect(events).toEqual(["fullTextPutAside"]);
});

test("D9: a full text that was made anew keeps no damaged index from being made anew", () => {
  const folder = usualFolder();
  const { supervisor, events } = supervisorOf(folder);
  supervisor.open();
  supervisor.handle({ kind: "fullTextDamaged" });
  supervisor.close();
  damageIn(folder);
  supervisor.mend(failureOf(() => supervisor.open()));
  expect(events).toEqual(["fullTextPutAside", "indexFailed", "indexPutAside"]);
  supervisor.open();
  expect(supervisor.trouble).toBeNull();
});

test("D24: what is damaged and cannot be moved away is in trouble until it can", () => {
  const folder = usualFolder();
  const { supervisor, events } = supervisorOf(folder);
  damageIn(folder);
  const obstacle = `${indexIn(folder).indexPath}.damaged`;
  mkdirSync(join(obstacle, "in the way"), { recursive: true });
  supervisor.mend(failureOf(() => supervisor.open()));
  expect(supervisor.trouble).toContain("the damaged index cannot be put aside (EISDIR)");
  expect([supervisor.blockedUntil, events]).toEqual([CLOCK.steady() + 1000, ["indexFailed", "indexFailed"]]);
  rmSync(obstacle, { recursive: true });
  supervisor.mend(failureOf(() => supervisor.open()));
  supervisor.open();
  expect([supervisor.trouble, events.at(-1)]).toEqual([null, "indexPutAside"]);
});

test("D24: a full text that cannot be moved away is said to be so, and keeps no row waiting", () => {
  const folder = usualFolder();
  const { supervisor, events } = supervisorOf(folder);
  supervisor.open();
  mkdirSync(join(`${indexIn(folder).searchPath}.damaged`, "in the way"), { recursive: true });
  supervisor.handle({ kind: "fullTextDamaged" });
  expect([supervisor.trouble, supervisor.blockedUntil, events]).toEqual([null, 0, ["fullTextFailed"]]);
});

test("D18: what another process has kept from being made anew may be made anew later", () => {
  const folder = usualFolder();
  const { supervisor, events } = supervisorOf(folder);
  damageIn(folder);
  const lock = takeLock(join(folder, "damage-lock.db"), 0);
  supervisor.mend(failureOf(() => supervisor.open()));
  expect([supervisor.blockedUntil, events]).toEqual([CLOCK.steady() + 250, ["indexFailed"]]);
  lock?.release();
  supervisor.mend(failureOf(() => supervisor.open()));
  expect(events).toEqual(["indexFailed", "indexFailed", "indexPutAside"]);
});

test("D15: what opens and cannot be written is in trouble until it was written, and is tried ever later", () => {
  const { supervisor } = supervisorOf(usualFolder());
  const readonly = Object.assign(new Error("readonly"), { code: "SQLITE_READONLY" });
  const waits = Array.from({ length: 3 }, () => {
    supervisor.open();
    supervisor.close();
    supervisor.mend(readonly);
    return supervisor.blockedUntil - CLOCK.steady();
  });
  supervisor.open();
  expect([supervisor.trouble, waits]).toEqual(["the index cannot be written: readonly", [1000, 2000, 4000]]);
  supervisor.worked();
  expect(supervisor.trouble).toBeNull();
});

test("D18: what another process has locked is tried again in a moment, and is no trouble", () => {
  const { supervisor } = supervisorOf(usualFolder());
  const busy = Object.assign(new Error("locked"), { code: "SQLITE_BUSY" });
  expect([supervisor.waitIfBusy(busy), supervisor.trouble]).toEqual([true, null]);
  expect(supervisor.blockedUntil).toBe(CLOCK.steady() + 250);
  expect(supervisor.waitIfBusy(new Error("another"))).toBe(false);
});

test("an index that others have put in its place is noticed, and said", () => {
  const { supervisor, events } = supervisorOf(usualFolder());
  const { index } = supervisor.open();
  expect(supervisor.noticeReplaced()).toBe(false);
  index.database.pragma("user_version = 99");
  expect([supervisor.noticeReplaced(), events]).toEqual([true, ["indexReplaced"]]);
});

test("D4: that the disk is full is said once, and over when there is room", () => {
  let isFull = false;
  const { supervisor, events } = supervisorOf(usualFolder(), { isDiskFull: () => isFull });
  supervisor.open();
  const check = (full: boolean) => {
    isFull = full;
    supervisor.checkRoom();
    return [supervisor.trouble, supervisor.mayFeed];
  };
  expect(check(false)).toEqual([null, true]);
  const trouble = "the disk that holds the index is almost full";
  for (const _time of [1, 2]) expect(check(true)).toEqual([trouble, false]);
  expect(supervisor.blockedUntil).toBe(CLOCK.steady() + 2000);
  for (const _time of [1, 2]) expect(check(false)).toEqual([null, true]);
  expect(events).toEqual(["disk", "disk"]);
});

test("D4: room on the disk does not end what is wrong otherwise", () => {
  const { supervisor } = supervisorOf(usualFolder());
  supervisor.open();
  supervisor.mend(Object.assign(new Error("no"), { code: "SQLITE_IOERR" }));
  supervisor.checkRoom();
  expect(supervisor.trouble).toMatch(/cannot be written/);
});
