import { expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { readIndexSize, readStatus } from "../../src/reports/status.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "./indexed.ts";

const NOW = Date.parse("2026-03-31T12:00:00Z");
const daysAgo = (days: number) => new Date(NOW - days * 24 * 60 * 60 * 1000).toISOString();

test("an empty index has a status of nothing", () => {
  const index = indexOfSessions();
  expect(readStatus(index, { now: NOW })).toMatchObject({
    sessions: 0,
    projects: 0,
    entries: 0,
    sizeBytes: 0,
    recent: [],
    lastSyncAt: null,
    last30Days: { cost: 0, requests: 0 },
    index: { path: index.location.indexPath, behind: 0 },
  });
});

test("the last thirty days are to the moment", () => {
  const usage = { input: 1, totalTokens: 1 };
  const built = session({ timestamp: daysAgo(40) })
    .at(daysAgo(30.001))
    .assistant({ usage });
  built.at(daysAgo(30)).assistant({ usage }).at(daysAgo(0.5)).assistant({ usage });
  expect(readStatus(indexOfSessions(built), { now: NOW }).last30Days.requests).toBe(2);
});

test("the recent sessions are the five last active ones", () => {
  const sessions = [3, 1, 4, 2, 6, 5].map((days) =>
    session({ id: `d${days}`, timestamp: daysAgo(days) }).user("x"),
  );
  const { recent } = readStatus(indexOfSessions(...sessions), { now: NOW });
  expect(recent.map(({ id }) => id)).toEqual(["d1", "d2", "d3", "d4", "d5"]);
});

test("roots limit everything that is counted", () => {
  const root = tempDir();
  for (const name of ["a", "b"])
    session({ id: name, timestamp: daysAgo(1) })
      .assistant()
      .write(`${root}/${name}/1.jsonl`);
  const status = readStatus(indexOf(root), { now: NOW, roots: [`${root}/a`] });
  expect(status).toMatchObject({
    sessions: 1,
    entries: 1,
    last30Days: { requests: 1 },
    recent: [{ id: "a" }],
  });
});

test("the time of the last sync is that of the last row written", () => {
  const root = tempDir();
  session().user("x").writeBelow(root);
  withIndex(tempDir(), (index) => {
    syncAll(index, [root], { now: () => NOW });
    expect(readStatus(index, { now: NOW }).lastSyncAt).toBe(new Date(NOW).toISOString());
  });
});

test("the size of an index is that of both its databases, with what there is in them", () => {
  const index = indexOfSessions(session({ id: "a" }).user("x").assistant(), session({ id: "b" }).user("x"));
  const { path, bytes, searchBytes } = readStatus(index, { now: NOW }).index;
  expect(searchBytes).toBeGreaterThan(0);
  expect(bytes).toBeGreaterThan(searchBytes);
  expect(readIndexSize(index)).toEqual({ path, bytes, sessions: 2, entries: 3 });
});
