import { appendFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { Branches } from "../../../src/search/hits/branch.ts";
import { searchEntries } from "../../../src/search/search.ts";
import { SessionManager } from "../../../src/session/session-manager.ts";
import { fc } from "../../helpers/drawn.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { Store } from "../../indexing/store.ts";
import { indexOf, indexOfSessions } from "../../reports/indexed.ts";

test("a hit is on the branch exactly when the session's own way from leaf to root comes by it", () => {
  const root = tempDir();
  const stores = fc.array(fc.tuple(fc.boolean(), fc.nat()), { minLength: 1, maxLength: 30 });
  let number = 0;
  const built = fc.sample(stores, 25).map((steps) => {
    const one = session({ id: `s${number++}` }).user("pear");
    const ids = [one.lastId];
    for (const [branches, where] of steps) {
      if (branches) one.branchFrom(ids[where % ids.length] ?? null);
      ids.push(one.user("pear").lastId);
    }
    return one.writeBelow(root);
  });
  const { hits } = searchEntries(indexOf(root), "pear", { limit: 0 });
  for (const path of built) {
    const manager = SessionManager.open(path);
    const branch = new Set(manager.getBranch().map(({ id }) => id));
    const own = hits.filter((hit) => hit.session.path === path).sort((one, other) => one.line - other.line);
    expect(own.map(({ entryId, onBranch }) => [entryId, onBranch])).toEqual(
      manager.getEntries().map(({ id }) => [id, branch.has(id)]),
    );
  }
});

test("nor does it matter whether other sessions were written in between", () => {
  const store = new Store();
  const lines = ["one", "two"].map((id) => {
    const built = session({ id }).user("pear");
    const first = built.lastId;
    return built.user("pear").branchFrom(first).user("pear").lines();
  });
  for (let n = 0; n < 4; n++) {
    for (const [which, own] of lines.entries()) appendFileSync(store.path(`${which}.jsonl`), `${own[n]}\n`);
    store.sync();
  }
  store.feed();
  const { hits } = searchEntries(store.index, "pear", { sort: "oldest" });
  const ofOne = hits.filter((hit) => hit.session.id === "one");
  expect([ofOne.map(({ onBranch }) => onBranch), hits.length]).toEqual([[true, false, true], 6]);
});

test("a session with repeated ids is walked once, however many hits it has", () => {
  const index = indexOfSessions(
    session().user("pear", { id: "a" }).user("pear", { id: "b" }).user("pear", { id: "b", parentId: "a" }),
  );
  const { fileId, leafKey, walkByText } = index.reader
    .prepare("SELECT file_id AS fileId, leaf_key AS leafKey, walk_by_text AS walkByText FROM sessions")
    .get() as { fileId: number; leafKey: number; walkByText: number };
  const branches = new Branches(index.reader);
  const walks = vi.spyOn(Object.getPrototypeOf(index.reader.prepare("SELECT 1")), "all");
  const held = [1, 2, 3].map((key) => branches.holds({ key, fileId, leafKey, walkByText }));
  expect([walkByText, held, walks.mock.calls.length]).toEqual([1, [true, false, true], 1]);
});
