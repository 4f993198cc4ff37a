import { describe, expect, test } from "vitest";
import { faultFixtures } from "../fixtures/faults.ts";
import { withIndex } from "../helpers/open-index.ts";
import { Store } from "./store.ts";

function storeWith(bytes: Uint8Array): Store {
  const store = new Store();
  store.write("file.jsonl", bytes);
  return store;
}

const FOUND = `SELECT f.status, coalesce(s.entry_count, 0), f.malformed_lines, f.provisional_length > 0,
  (SELECT count(*) FROM entries e WHERE e.file_id = f.id), (SELECT count(*) FROM malformed_lines m WHERE m.file_id = f.id)
  FROM files f LEFT JOIN sessions s ON s.file_id = f.id`;

describe.each(faultFixtures)("$row: $name:", ({ bytes, expect: expected, recovered = 0 }) => {
  const indexed = expected.entries + recovered;

  test("is indexed as described", () => {
    const store = storeWith(bytes);
    store.sync();
    const { status, malformed, provisional } = expected;
    expect(store.rows(FOUND)).toEqual([
      [status, indexed, malformed, provisional ? 1 : 0, indexed, Math.min(malformed, 1000)],
    ]);
  });

  test("is counted and named, and not touched", () => {
    const store = storeWith(bytes);
    const before = store.image();
    const { files, entries, troubles, complete } = store.sync();
    store.feed();
    expect([complete, entries.added, entries.malformed]).toEqual([true, indexed, expected.malformed]);
    const kinds = troubles.map(({ kind }) => kind);
    const isSession = expected.status === "session";
    expect([files.notSessions, kinds.includes("not_session"), kinds.includes("malformed")]).toEqual([
      isSession ? 0 : 1,
      !isSession,
      isSession && expected.malformed > 0,
    ]);
    expect(store.image()).toEqual(before);
  });

  test("is not read again, and nothing is written, once it is settled (I-5)", () => {
    const store = storeWith(bytes);
    store.sync();
    store.feed();
    withIndex(store.indexFolder, ({ database, search }) => {
      const versions = () => [database, search].map((each) => each.pragma("data_version", { simple: true }));
      const before = versions();
      const { bytesRead, files } = store.sync();
      expect([bytesRead, files.unchanged, store.feed().added]).toEqual([0, 1, 0]);
      expect(versions()).toEqual(before);
    });
  });

  test("comes to the same in one go or piece by piece", () => {
    const store = new Store();
    const pieces = 4;
    for (let piece = 1; piece <= pieces; piece++) {
      store.write("file.jsonl", bytes.subarray(0, Math.ceil((bytes.length * piece) / pieces)));
      store.sync();
      store.feed();
    }
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

test("I-12: all of them together stop nothing", () => {
  const store = new Store();
  for (const [number, { bytes }] of faultFixtures.entries()) store.write(`${number}.jsonl`, bytes);
  const { complete, files, entries } = store.sync();
  const sessions = faultFixtures.filter((fixture) => fixture.expect.status === "session");
  expect([complete, files.failed, files.seen]).toEqual([true, 0, faultFixtures.length]);
  expect(entries.added).toBe(
    sessions.reduce((sum, { expect, recovered = 0 }) => sum + expect.entries + recovered, 0),
  );
  expect(store.feed()).toMatchObject({ complete: true, behind: 0 });
});
