import { describe, expect, test, vi } from "vitest";
import { searchEntries } from "../../../src/search/search.ts";
import type { Index } from "../../../src/store/open.ts";
import { type EntryNode, readSessionNodes } from "../../../src/store/tables/entry-nodes.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { bytesReadBy, countsBytes } from "../../helpers/process-io.ts";
import { type SessionBuilder, session } from "../../helpers/session-builder.ts";
import { indexOfSessions } from "../../reports/indexed.ts";

const CONTEXT = 3;

/** For each entry, the ids of those around it. */
function found(index: Index): [string | null, (string | null)[], (string | null)[]][] {
  const { hits } = searchEntries(index, "pear", { context: CONTEXT, limit: 0, sort: "oldest" });
  return hits
    .map(({ entryId, context }): ReturnType<typeof found>[number] => [
      entryId,
      (context?.before ?? []).map((near) => near.entryId),
      (context?.after ?? []).map((near) => near.entryId),
    ])
    .toSorted();
}

/** The same from all entries of the one session. */
function read(index: Index): ReturnType<typeof found> {
  const file = index.database.prepare("SELECT id AS fileId, real_path AS realPath FROM files").get();
  const nodes = readSessionNodes(index, file as { fileId: number; realPath: string });
  const ids = (walk: Iterable<EntryNode>) => [...walk].map(({ entryId }) => entryId).slice(0, CONTEXT);
  return nodes.all
    .map((node): ReturnType<typeof read>[number] => [
      node.entryId,
      ids(nodes.above(node)).toReversed(),
      ids(nodes.below(node)),
    ])
    .toSorted();
}

const STEP = fc.record({ parent: fc.option(fc.nat(100), { freq: 2 }), seconds: fc.option(fc.nat(9)) });

test("what stands around an entry is what stands there in the tree of its session, whatever its branches are", () => {
  const drawn = fc.property(fc.array(STEP, { minLength: 1, maxLength: 30 }), (steps) => {
    const built = session();
    for (const [at, { parent, seconds }] of steps.entries()) {
      // Some are roots, or have a parent that is not there.
      const parentId = parent === null ? {} : { parentId: parent > at ? `no${parent}` : `id${parent}` };
      const timestamp = seconds === null ? "never" : `2026-01-01T00:00:0${seconds}Z`;
      built.user(`pear ${at}`, { id: `id${at}`, timestamp, ...parentId });
    }
    const index = indexOfSessions(built);
    expect(found(index)).toEqual(read(index));
  });
  fc.assert(drawn, { numRuns: runs(15) });
});

describe("of hits of two sessions in turn", () => {
  /** Rows that all queries of a search have read. */
  function rowsRead(sessions: SessionBuilder[]): number {
    const index = indexOfSessions(...sessions);
    const all = vi.spyOn(Object.getPrototypeOf(index.reader.prepare("SELECT 1")), "all");
    const { hits } = searchEntries(index, "pear", { context: 1, sort: "oldest" });
    const rows = all.mock.results.reduce((sum, { value }) => sum + value.length, 0);
    all.mockRestore();
    expect(hits.slice(0, 4).map((hit) => hit.session.id)).toEqual(["a", "b", "a", "b"]);
    expect(hits.every(({ context }) => context?.before.length === 1 && context.after.length === 1)).toBe(
      true,
    );
    return rows;
  }

  /** The entries of each that match are so many apart that those of the other one lie between. */
  function inTurn(others: number, ids: { id?: string } = {}): SessionBuilder[] {
    return ["a", "b"].map((id, nth) => {
      const built = session({ id }).user("first", ids).user("second", ids);
      for (let at = 0; at < 8; at++) {
        const timestamp = new Date(Date.UTC(2027, 0, 1) + (2 * at + nth) * 1000).toISOString();
        built.user(`pear ${at}`, { timestamp }).assistant();
      }
      for (let at = 0; at < others; at++) built.user("other");
      return built;
    });
  }

  test("the neighbours take as many rows in long sessions as in short ones", () => {
    expect(rowsRead(inTurn(400))).toBe(rowsRead(inTurn(10)));
  });

  test("a damaged session is read once", () => {
    const more = rowsRead(inTurn(400, { id: "twice" })) - rowsRead(inTurn(10, { id: "twice" }));
    // The branch is walked, and all entries are read.
    expect(more).toBe(2 * 2 * 390);
  });
});

test.skipIf(!countsBytes)("entries that say nothing are passed over without being read", () => {
  const built = session().user("pear", { id: "hit" });
  for (let at = 0; at < 300; at++) built.custom("state", "x".repeat(10_000));
  built.assistant({ text: "apple" });
  const index = indexOfSessions(built);
  const read = bytesReadBy(() => {
    const [hit] = searchEntries(index, "pear", { context: 1 }).hits;
    expect(hit?.context?.after.map(({ text }) => text)).toEqual(["apple"]);
  });
  expect(read).toBeLessThan(1_000_000);
});
