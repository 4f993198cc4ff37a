/** What every `EntryTree` must do, whatever holds its entries. */
import { describe, expect, test } from "vitest";
import {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
} from "../../src/format/context.ts";
import { parseSessionEntries } from "../../src/format/parse.ts";
import type { FileEntry, SessionEntry } from "../../src/format/types.ts";
import type { EntryTree } from "../../src/session/entry-tree.ts";
import { faultFixtures } from "../fixtures/faults.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { Random } from "./random.ts";
import { randomFile } from "./random-file.ts";

/** Makes a tree of the entries in the text of a session file. */
export type TreeMaker = (text: Buffer) => EntryTree;

export function describeEntryTree(name: string, makeTree: TreeMaker): void {
  const treeOf = (built: SessionBuilder) => makeTree(Buffer.from(built.bytes()));
  const idsOf = (entries: readonly SessionEntry[]) => entries.map((entry) => entry.id);

  describe(`${name}: entries`, () => {
    const tree = treeOf(session().user("a", { id: "a" }).assistant({}, { id: "b" }).user("c", { id: "c" }));

    test("are found by id, counted, and listed in file order", () => {
      expect(idsOf(tree.entries())).toEqual(["a", "b", "c"]);
      expect([tree.size, tree.has("b"), tree.has("z")]).toEqual([3, true, false]);
      expect(tree.get("b")).toEqual(tree.entries()[1]);
      expect(tree.get("z")).toBeUndefined();
    });

    test("are the same object every time", () => {
      const again = treeOf(session().user("a", { id: "a" }).user("b", { id: "b" }).user("c", { id: "c" }));
      const entry = again.get("b");
      expect(again.branch("c")[1]).toBe(entry);
      expect(again.children("a")[0]).toBe(entry);
      expect(again.get("b")).toBe(entry);
      expect(again.entries()[1]).toBe(entry);
    });

    test("the list is the caller's", () => {
      tree.entries().pop();
      expect(tree.entries()).toHaveLength(3);
    });

    test("the header stands apart, and the last entry is known", () => {
      expect(tree.header?.type).toBe("session");
      expect(tree.last?.id).toBe("c");
      expect(treeOf(session()).last).toBeUndefined();
    });

    test("everything a file must hold comes in file order", () => {
      expect([...tree.fileEntries()]).toEqual([tree.header, ...tree.entries()]);
    });
  });

  describe(`${name}: branches`, () => {
    const tree = treeOf(
      session()
        .user("root", { id: "a" })
        .assistant({}, { id: "b" })
        .user("one", { id: "c" })
        .branchFrom("b")
        .user("two", { id: "d" })
        .user("orphan", { id: "e", parentId: "gone" }),
    );

    test("lead from the root to the entry", () => {
      expect(idsOf(tree.branch("d"))).toEqual(["a", "b", "d"]);
      expect(idsOf(tree.branch("e"))).toEqual(["e"]);
      expect(tree.branch("z")).toEqual([]);
    });

    test("children come in file order", () => {
      expect(idsOf(tree.children("b"))).toEqual(["c", "d"]);
      expect(idsOf(tree.children("gone"))).toEqual(["e"]);
      expect(tree.children("d")).toEqual([]);
    });

    test("hold the entries on the way to the root, and no others", () => {
      for (const leaf of ["a", "b", "c", "d", "e"]) {
        const held = ["a", "b", "c", "d", "e", "z"].filter((id) => tree.isOnBranch(id, leaf));
        expect(held).toEqual(idsOf(tree.branch(leaf)));
      }
      expect(tree.isOnBranch("a", "z")).toBe(false);
    });

    test("A23: a circle ends before the entry that would come again", () => {
      const circle = treeOf(
        session().user("1", { id: "a", parentId: "b" }).user("2", { id: "b", parentId: "a" }),
      );
      expect(idsOf(circle.branch("b"))).toEqual(["a", "b"]);
      expect(idsOf(circle.branch("a"))).toEqual(["b", "a"]);
    });

    test("A22: of entries with one id the last answers, in the place of the first", () => {
      const twice = treeOf(
        session()
          .user("root", { id: "r" })
          .user("first", { id: "a", parentId: "r" })
          .user("between", { id: "b", parentId: "r" })
          .user("second", { id: "a", parentId: "r" }),
      );
      expect(twice.get("a")).toBe(twice.entries()[3]);
      expect(idsOf(twice.children("r"))).toEqual(["a", "b"]);
      expect([twice.size, twice.entries().length]).toEqual([3, 4]);
    });
  });

  describe(`${name}: labels and names`, () => {
    test("the last one counts; one that is set again after being cleared goes to the end", () => {
      const tree = treeOf(
        session()
          .user("a", { id: "a" })
          .user("b", { id: "b" })
          .label("a", "one")
          .label("b", "two")
          .label("a")
          .label("b", "three")
          .label("a", "four"),
      );
      expect([...tree.labels()].map(({ targetId, label }) => [targetId, label])).toEqual([
        ["b", "three"],
        ["a", "four"],
      ]);
      expect(tree.label("a")?.timestamp).toBe(tree.entries().at(-1)?.timestamp);
      expect(tree.label("z")).toBeUndefined();
    });

    test("one that stands there is cleared by an entry that comes later", () => {
      const tree = treeOf(session().user("a", { id: "a" }).label("a", "one"));
      expect(tree.label("a")?.label).toBe("one");
      tree.push({ type: "label", id: "later", parentId: "a", timestamp: "x", targetId: "a", label: "" });
      expect(tree.label("a")).toBeUndefined();
    });

    test("a name is trimmed, and an empty one clears", () => {
      expect(treeOf(session()).name()).toBeUndefined();
      expect(treeOf(session().name("one").name("  two ")).name()).toBe("two");
      expect(treeOf(session().name("one").name()).name()).toBeUndefined();
      expect(treeOf(session().name("one").name("  ")).name()).toBeUndefined();
    });

    test("a name that stands there gives way to one that comes later, and to an empty one", () => {
      const tree = treeOf(session().user("a", { id: "a" }).name("one"));
      const later = { type: "session_info" as const, parentId: "a", timestamp: "x" };
      tree.push({ ...later, id: "second", name: " two " });
      expect(tree.name()).toBe("two");
      tree.push({ ...later, id: "third", name: " " });
      expect(tree.name()).toBeUndefined();
    });
  });

  describe(`${name}: growing`, () => {
    const pushed: SessionEntry = {
      type: "label",
      id: "new",
      parentId: "a",
      timestamp: "2026-01-01T00:00:00.000Z",
      targetId: "a",
      label: "later",
    };

    test("a new entry is found everywhere", () => {
      const tree = treeOf(session().user("a", { id: "a" }));
      tree.push(pushed);
      expect(tree.last).toBe(pushed);
      expect(tree.get("new")).toBe(pushed);
      expect(idsOf(tree.children("a"))).toEqual(["new"]);
      expect(idsOf(tree.branch("new"))).toEqual(["a", "new"]);
      expect(idsOf(tree.entries())).toEqual(["a", "new"]);
      expect(tree.label("a")?.label).toBe("later");
      expect([...tree.fileEntries()].at(-1)).toBe(pushed);
      tree.push({ ...pushed, id: "cleared", label: "" });
      expect([...tree.labels()]).toEqual([]);
      tree.push({ type: "session_info", id: "info", parentId: "a", timestamp: "x", name: " called " });
      expect([tree.name(), tree.size]).toEqual(["called", 4]);
    });
  });

  describe(`${name}: the context of every entry is that of the plain functions`, () => {
    const texts: [string, Buffer][] = [
      // What is nested 100,000 deep cannot be compared; it is read in fixtures.test.ts.
      ...faultFixtures
        .filter(({ row }) => row !== "A30")
        .map(({ row, name, bytes }): [string, Buffer] => [`${row} ${name}`, Buffer.from(bytes)]),
      ...Array.from({ length: 60 }, (_, seed): [string, Buffer] => [
        `random file ${seed}`,
        Buffer.from(randomFile(new Random(seed)).text),
      ]),
    ];
    test.each(texts.filter(([, text]) => isSession(text)))("%s", (_, text) => {
      const tree = makeTree(text);
      const entries = entriesOf(text);
      const byId = new Map(entries.map((entry) => [entry.id, entry]));
      const places = [-1, -2, ...entries.slice(-12).map((_, at) => Math.max(0, entries.length - 12) + at)];
      for (const place of places) {
        const [own, plain] = [leafAt(tree.entries(), place), leafAt(entries, place)];
        expect(outcome(() => tree.context(own))).toEqual(
          outcome(() => buildSessionContext(entries, plain, byId)),
        );
        expect(outcome(() => tree.projection(own))).toEqual(
          outcome(() => buildSessionProjection(entries, plain, byId)),
        );
        expect(outcome(() => tree.contextEntries(own))).toEqual(
          outcome(() => buildContextEntries(entries, plain, byId)),
        );
      }
    });
  });
}

/** Ids of damaged entries can be objects, which are equal to themselves only. */
function leafAt(entries: readonly SessionEntry[], place: number): string | null {
  if (place < 0) return place === -1 ? null : "nowhere";
  return entries[place]?.id ?? null;
}

function entriesOf(text: Buffer): SessionEntry[] {
  return parsed(text).filter((entry) => entry.type !== "session");
}

function isSession(text: Buffer): boolean {
  const [header] = parsed(text);
  return header?.type === "session" && typeof header.id === "string";
}

function parsed(text: Buffer): FileEntry[] {
  return parseSessionEntries(`\n${text.toString("utf8")}`).filter(Boolean);
}

/** The value, or that it threw: damaged entries make every implementation throw a TypeError. */
function outcome<T>(ask: () => T): T | string {
  try {
    return ask();
  } catch (error) {
    if (error instanceof TypeError) return "TypeError";
    throw error;
  }
}
