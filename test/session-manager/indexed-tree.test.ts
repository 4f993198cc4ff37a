import fs, { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
} from "../../src/format/context.ts";
import { parseSessionEntries } from "../../src/format/parse.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import type { EntryTree } from "../../src/session/entry-tree.ts";
import { IndexedTree } from "../../src/session/indexed-tree.ts";
import { MemoryTree } from "../../src/session/memory-tree.ts";
import { openIndexed } from "../../src/session/open-indexed.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { bytesReadBy, countsBytes } from "../helpers/process-io.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { describeEntryTree } from "./entry-tree.contract.ts";
import { Random } from "./random.ts";

const folder = sharedTempDir();
let made = 0;

/** Indexes the first part of a file, then lets the rest arrive. Damaged files are read whole, as a session is. */
function treeThroughIndex(text: Buffer, part: number): EntryTree {
  const root = join(folder, String(made++));
  const path = join(root, "session.jsonl");
  mkdirSync(root);
  const cut = text.lastIndexOf("\n", Math.floor(text.length * part)) + 1;
  writeFileSync(path, text.subarray(0, cut));
  const index = openIndex(indexIn(join(folder, "index")));
  syncAll(index, [root]);
  appendFileSync(path, text.subarray(cut));
  return openIndexed(path, index)?.tree ?? new MemoryTree(parseSessionEntries(`\n${text}`).filter(Boolean));
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const said = () => session().user("one", { id: "a" }).assistant({}, { id: "b" });
const entry = { type: "custom", parentId: "b", timestamp: "2026-01-01T00:00:00.000Z", customType: "x" };

/** Whether a session is read through an index that was made before something was done to its file. */
function isReadThroughIndex(before: string | Uint8Array, change: (path: string) => void): boolean {
  const root = join(folder, String(made++));
  const path = join(root, "session.jsonl");
  mkdirSync(root);
  writeFileSync(path, before);
  return withIndex(join(root, "index"), (index) => {
    syncAll(index, [root], { now: () => Date.now() + 60_000 });
    change(path);
    const opened = openIndexed(path, index);
    return opened !== null;
  });
}

test.each<[string, string | Uint8Array]>([
  ["of version 1", session({ version: 1 }).user("one").bytes()],
  ["of version 2", session({ version: 2 }).user("one").bytes()],
  ["with nothing but a header", session().bytes()],
  [
    "with a header too long to be looked for",
    session({ header: { note: "x".repeat(1_100_000) } })
      .user("one")
      .bytes(),
  ],
  ["with an id that is empty", said().user("x", { id: "" }).bytes()],
  ["with an id that comes twice", said().user("again", { id: "a" }).bytes()],
  [
    "with a parent that stands below",
    said().user("x", { id: "c", parentId: "d" }).user("y", { id: "d" }).bytes(),
  ],
  [
    "whose last line is not ended",
    said()
      .torn(JSON.stringify({ ...entry, id: "c" }))
      .bytes(),
  ],
  ["that is no session", line(entry)],
])("a file %s is not read through the index", (_, bytes) => {
  expect(isReadThroughIndex(said().bytes(), () => undefined)).toBe(true);
  expect(isReadThroughIndex(bytes, () => undefined)).toBe(false);
});

test.each<[string, (path: string) => void, boolean]>([
  ["was appended to", (path) => appendFileSync(path, line({ ...entry, id: "c" })), true],
  [
    "was appended an id that is in the index",
    (path) => appendFileSync(path, line({ ...entry, id: "a" })),
    false,
  ],
  ["was appended one id twice", (path) => appendFileSync(path, line({ ...entry, id: "c" }).repeat(2)), false],
  ["was appended an empty id", (path) => appendFileSync(path, line({ ...entry, id: "" })), false],
  ["was appended what has no id", (path) => appendFileSync(path, line(entry)), false],
  ["was appended another header", (path) => appendFileSync(path, line(said().header)), true],
  [
    "was written anew, longer",
    (path) => writeFileSync(path, said().user("x").user("y").bytes().subarray(1)),
    false,
  ],
  [
    "holds other entries, as long",
    (path) => writeFileSync(path, said().bytes().toString().replace("one", "two")),
    false,
  ],
  ["has lost lines", (path) => truncateSync(path, said().bytes().lastIndexOf("\n", -2) + 1), false],
])("a file that %s since it was indexed is read through the index, or is not", (_, change, isRead) => {
  expect(isReadThroughIndex(said().bytes(), change)).toBe(isRead);
});

test("a session that has lost a line is read through the index, until what it has lost comes after all", () => {
  const torn = said().user("orphan", { id: "c", parentId: "gone" }).user("after", { id: "d" }).bytes();
  const append = (id: string) => (path: string) =>
    appendFileSync(path, line({ ...entry, id, parentId: "d" }));
  expect(isReadThroughIndex(torn, () => undefined)).toBe(true);
  expect(isReadThroughIndex(torn, append("e"))).toBe(true);
  expect(isReadThroughIndex(torn, append("gone"))).toBe(false);
});

/** `act` is done before the next read of any file. */
function beforeNextRead(act: () => void): void {
  const read = fs.readSync;
  const restore = (original: typeof read) => {
    fs.readSync = original;
    // Named imports follow the object only after this.
    syncBuiltinESMExports();
  };
  restore(((...args: Parameters<typeof read>) => {
    restore(read);
    act();
    return read(...args);
  }) as typeof read);
}

test("I-16: a session is read whole where the index is made anew between two questions to it", () => {
  let rebuilds = 0;
  const isRead = isReadThroughIndex(said().bytes(), (path) => {
    appendFileSync(path, line({ ...entry, id: "c" }));
    beforeNextRead(() => {
      rebuilds++;
      withIndex(join(dirname(path), "index"), (index) => syncAll(index, [dirname(path)], { rebuild: true }));
    });
  });
  expect({ isRead, rebuilds }).toEqual({ isRead: false, rebuilds: 1 });
});

/** Entries of every kind the context depends on, on branches that begin anywhere; ids are unique, parents stand above. */
function orderlySession(random: Random): SessionBuilder {
  const built = session();
  const ids: string[] = [];
  for (let at = 0; at < 50; at++) {
    const id = `e${at}`;
    const earlier = random.pick([ids[0] ?? id, ...ids.slice(-12)]);
    const kept = () =>
      random.pick<unknown>([earlier, earlier, earlier, id, `e${at + 1}`, "nowhere", 5, {}, undefined]);
    if (at > 0 && random.below(7) === 0) built.branchFrom(earlier);
    const makers: (() => SessionBuilder)[] = [
      () => built.entry("compaction", { summary: "s", tokensBefore: 1, firstKeptEntryId: kept() }, { id }),
      () => built.thinkingLevel(random.pick(["low", "high"]), { id }),
      () => built.modelChange("p", `m${at}`, { id }),
      () => built.contextEdit(earlier, random.pick([null, "edited"]), { id }),
      () => built.system("s", {}, { id }),
      () => built.label(earlier, random.pick(["here", ""]), { id }),
      () => built.assistant({ model: `m${at}` }, { id }),
    ];
    (makers[random.below(10)] ?? (() => built.user(`u${at}`, { id })))();
    ids.push(id);
  }
  return built;
}

/** Compares what the model gets to see at every entry, and at none. */
function expectContexts(built: SessionBuilder, part: number, leaves: readonly (string | null)[]): void {
  const text = Buffer.from(built.bytes());
  const tree = treeThroughIndex(text, part);
  expect(tree).toBeInstanceOf(IndexedTree);
  const memory = new MemoryTree(parseSessionEntries(text.toString()));
  const entries = parseSessionEntries(text.toString()).filter((each) => each.type !== "session");
  for (const leaf of leaves) {
    expect(tree.context(leaf), String(leaf)).toEqual(buildSessionContext(entries, leaf));
    expect(tree.projection(leaf), String(leaf)).toEqual(buildSessionProjection(entries, leaf));
    expect(tree.contextEntries(leaf), String(leaf)).toEqual(buildContextEntries(entries, leaf));
    expect(tree.label(leaf ?? ""), String(leaf)).toEqual(memory.label(leaf ?? ""));
  }
}

test.each(Array.from({ length: 15 }, (_, seed) => seed))(
  "I-16: through the index the context of every entry is that of the plain functions (seed %i)",
  (seed) => {
    const built = orderlySession(new Random(seed));
    const leaves = [null, "", "nowhere", ...built.entries.map(({ id }) => String(id))];
    for (const part of [1, 0.5]) expectContexts(built, part, leaves);
  },
);

test.each([1, 2, 3])(
  "every way to the root is the same whether other sessions were written in between or not (seed %i)",
  (seed) => {
    const random = new Random(seed);
    const root = join(folder, String(made++));
    const paths = ["one", "other"].map((name) => join(root, `${name}.jsonl`));
    const [built, other] = [orderlySession(random), orderlySession(random)];
    const index = openIndex(indexIn(join(root, "index")));
    for (const [at, own] of built.lines().entries()) {
      appendFileSync(paths[0] ?? "", `${own}\n`);
      if (random.below(3) > 0) appendFileSync(paths[1] ?? "", `${other.lines()[at]}\n`);
      if (random.below(3) > 0) syncAll(index, [root]);
    }
    syncAll(index, [root]);
    const tree = openIndexed(paths[0] ?? "", index)?.tree;
    const memory = new MemoryTree(parseSessionEntries(built.bytes().toString()));
    for (const { id } of built.entries) {
      expect(tree?.branch(String(id)), String(id)).toEqual(memory.branch(String(id)));
    }
  },
);

/** What may happen to an index, and to the file, while a session that was opened through it is in use. */
const MEANWHILE: Record<string, (index: Index, path: string) => void> = {
  "goes on": (index, path) => syncAll(index, [dirname(path)]),
  "is made anew": (index, path) => syncAll(index, [dirname(path)], { rebuild: true }),
  "loses its rows": (index) => index.database.exec("DELETE FROM files"),
  "has rows of a rewritten file": (index) =>
    index.database.exec("UPDATE files SET generation = generation + 1"),
  "stands there while the file is deleted": (_, path) => rmSync(path),
};

test.each(Object.entries(MEANWHILE))(
  "I-16: all answers stay what they were when the index %s",
  (_, happen) => {
    for (const part of [1, 0.5]) {
      const text = Buffer.from(orderlySession(new Random(7)).bytes());
      const memory = new MemoryTree(parseSessionEntries(text.toString()));
      const ids = memory.entries().map(({ id }) => id);
      const seen = (tree: EntryTree) =>
        ids.map((id) => [tree.has(id), tree.get(id), tree.children(id), tree.branch(id), tree.label(id)]);
      const root = join(folder, String(made++));
      withIndex(join(root, "index"), (index) => {
        const path = join(root, "sessions", "session.jsonl");
        mkdirSync(dirname(path));
        const cut = text.lastIndexOf("\n", Math.floor(text.length * part)) + 1;
        writeFileSync(path, text.subarray(0, cut));
        syncAll(index, [dirname(path)]);
        appendFileSync(path, text.subarray(cut));
        const tree = openIndexed(path, index)?.tree;
        expect(tree?.last).toEqual(memory.last);
        happen(index, path);
        expect(tree && seen(tree)).toEqual(seen(memory));
        expect([tree?.size, tree?.name(), tree?.entries()]).toEqual([
          memory.size,
          memory.name(),
          memory.entries(),
        ]);
      });
    }
  },
);

/** A session that is open through the index while its file is rewritten in place. */
function rewrittenInUse(built: SessionBuilder, rewrite: (bytes: string) => string): EntryTree {
  const root = join(folder, String(made++));
  const path = built.write(join(root, "sessions", "session.jsonl"));
  const index = openIndex(indexIn(join(root, "index")));
  syncAll(index, [dirname(path)]);
  const tree = openIndexed(path, index)?.tree;
  if (tree === undefined) throw new Error("it is not read through the index");
  writeFileSync(path, rewrite(readFileSync(path, "utf8")));
  return tree;
}

test("of a file that is rewritten in place while it is in use no entry is taken for another", () => {
  const tree = rewrittenInUse(said().user("three", { id: "c" }), (bytes) =>
    bytes.replaceAll('"id":"a"', '"id":"x"').replaceAll('"parentId":"a"', '"parentId":"x"'),
  );
  expect([tree.get("a"), tree.get("x")?.id]).toEqual([undefined, "x"]);
});

test("a file that was rewritten in place while it is in use is answered for as it is now, once that is noticed", () => {
  const tree = rewrittenInUse(said().user("three", { id: "c" }).label("a", "here").name("old"), (bytes) =>
    bytes.replace('"id":"c"', '"id":"a"').replace('"here"', '"gone"').replace('"old"', '"new"'),
  );
  expect(tree.get("c")).toBeUndefined();
  expect([tree.size, tree.label("a")?.label, tree.name()]).toEqual([4, "gone", "new"]);
});

test.each<[string, (bytes: string) => string]>([
  ["is emptied", () => ""],
  ["loses its header", (bytes) => bytes.slice(bytes.indexOf("\n") + 1)],
])(
  "nothing is left out of the answers where a file %s while it is in use: it is named as another one",
  (_, rewrite) => {
    const tree = rewrittenInUse(said(), rewrite);
    const error = { code: "io", message: expect.stringMatching(/session\.jsonl$/), hint: expect.any(String) };
    expect(() => tree.entries()).toThrow(expect.objectContaining(error));
  },
);

test.each([0, 1])(
  "what is in force was stated thousands of entries before, on one of %i other branches",
  (others) => {
    const built = session().modelChange("p", "m", { id: "model" }).thinkingLevel("high", { id: "level" });
    if (others > 0) built.modelChange("p", "elsewhere", { id: "left" }).branchFrom("level");
    for (let at = 0; at < 6000; at++) built.custom("n", at, { id: `e${at}` });
    built.user("kept", { id: "kept" }).compaction("s", { firstKeptEntryId: "kept" }, { id: "leaf" });
    expectContexts(built, 1, ["leaf"]);
  },
);

/** Bytes that the context of a branch reads, beside one with as many compactions; almost nothing is kept in memory. */
function bytesOfContext(entries: number): number {
  const built = session().user("question", { id: "start" });
  for (let at = 0; at < entries; at += 20) {
    built.compaction("left", { firstKeptEntryId: "start" });
    for (let more = 1; more < 20; more++) built.user("left");
  }
  built.branchFrom("start");
  for (let at = 0; at < entries; at++) built.custom("n", at);
  const root = join(folder, String(made++));
  mkdirSync(root);
  const path = built.write(join(root, "session.jsonl"));
  return withIndex(join(root, "index"), (index) => {
    syncAll(index, [root], { now: () => Date.now() + 60_000 });
    index.database.pragma("cache_size = 8");
    const tree = openIndexed(path, index)?.tree;
    return bytesReadBy(() => expect(tree?.contextEntries(tree.last?.id ?? null)).toHaveLength(entries + 1));
  });
}

test.skipIf(!countsBytes)(
  "the context of a branch is read once, however much was compacted beside it",
  () => {
    const [few, many] = [bytesOfContext(1000), bytesOfContext(3000)];
    // Three times as many entries; nine times as much if the branch were read anew for each compaction.
    expect(many).toBeLessThan(5 * few);
  },
);

describeEntryTree("an indexed tree without a tail", (text) => treeThroughIndex(text, 1));
describeEntryTree("an indexed tree with a tail", (text) => treeThroughIndex(text, 0.5));
