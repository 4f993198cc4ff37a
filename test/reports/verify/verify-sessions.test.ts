import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { checkedFiles, Verifier } from "../../../src/reports/verify/verify-sessions.ts";
import { feedSearch } from "../../../src/search/feed/feeder.ts";
import { type Index, openIndex } from "../../../src/store/open.ts";
import { faultFixtures } from "../../fixtures/faults.ts";
import { anyEntry, anyHeader } from "../../helpers/any-entry.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { writeWithLongLine } from "../../helpers/long-line.ts";
import { indexIn } from "../../helpers/open-index.ts";
import { importPeer, isMissing } from "../../helpers/peers.ts";
import { writePiStore } from "../../helpers/pi-store.ts";
import { session } from "../../helpers/session-builder.ts";
import { fileEvents, happen } from "../../helpers/session-store-model.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { writeMixedStore } from "../../search/mixed-store.ts";
import { writeSpendingStore } from "../usage/spending-store.ts";

/** What differs, without the paths. */
function differences(index: Index, root: string): string[] {
  const verifier = new Verifier(index);
  for (const file of checkedFiles(index)) verifier.file(file);
  verifier.counted();
  verifier.presence([root]);
  verifier.close();
  return verifier.result.differences.map(({ what }) => what);
}

function withStore<T>(write: (root: string) => void, use: (index: Index, root: string) => T): T {
  const root = join(tempDir(), "sessions");
  write(root);
  const index = openIndex(indexIn(tempDir()));
  try {
    syncAll(index, [root]);
    feedSearch(index);
    return use(index, root);
  } finally {
    index.close();
  }
}

function writeFaults(root: string): void {
  mkdirSync(root, { recursive: true });
  for (const [number, { bytes }] of faultFixtures.entries())
    writeFileSync(join(root, `${number}.jsonl`), bytes);
}

describe("an index made from its files does not differ from them", () => {
  test.each([
    ["of every kind and every damage", writeMixedStore],
    ["with all five sources, labels and branches", writeSpendingStore],
    ["with everything that can be wrong inside one", writeFaults],
  ])("%s", (_name, write) => {
    withStore(write, (index, root) => expect(differences(index, root)).toEqual([]));
  });

  test.skipIf(isMissing("piAgentModule"))("written by pi", () => {
    const write = (root: string) => void writePiStore({ sessions: 32, seed: 21, agentDir: root });
    withStore(write, (index, root) => expect(differences(index, root)).toEqual([]));
  });

  test("as one array in a .json file", () => {
    const write = (root: string) => {
      session({ id: "array" }).user("in an array").assistant().label("x", "y").write(join(root, "a.json"));
    };
    withStore(write, (index, root) => expect(differences(index, root)).toEqual([]));
  });

  test("A29: with lines too long to be decoded", () => {
    const beginning =
      '{"type":"message","id":"long","message":{"role":"toolResult","toolCallId":"x","content":"';
    const write = (root: string) => {
      mkdirSync(root);
      writeWithLongLine(join(root, "a.jsonl"), 65 * 1024 * 1024);
      writeWithLongLine(join(root, "b.jsonl"), 65 * 1024 * 1024, { beginning });
      const built = session({ version: 1 }).user("a").user("b");
      writeWithLongLine(join(root, "c.jsonl"), 65 * 1024 * 1024, { beginning, built });
    };
    withStore(write, (index, root) => expect(differences(index, root)).toEqual([]));
  });

  test("A12: of version 1 with lines between them that are none", () => {
    const write = (root: string) => {
      session({ version: 1 })
        .user("a")
        .raw("5")
        .raw("[1]")
        .raw("{torn")
        .user("b")
        .raw("7")
        .write(join(root, "a.jsonl"));
    };
    withStore(write, (index, root) => expect(differences(index, root)).toEqual([]));
  });

  test("whose tool calls share an id", () => {
    const calls = ["bash", "edit", "bash"].map((name) => ({ id: "", name }));
    const built = session().assistant({ toolCalls: calls }).assistant({ toolCalls: calls });
    for (const toolName of ["bash", "edit", null, "edit", "read"]) built.toolResult("", { toolName });
    const found = withStore((root) => void built.writeBelow(root), differences);
    expect(found).toEqual([]);
  });

  test("whatever happens to them", () => {
    fc.assert(
      fc.property(fc.array(fileEvents, { maxLength: 12 }), (events) => {
        const root = join(tempDir(), "sessions");
        const index = openIndex(indexIn(tempDir()));
        try {
          for (const event of events) happen(root, event);
          syncAll(index, [root]);
          expect(differences(index, root)).toEqual([]);
        } finally {
          index.close();
        }
      }),
      { numRuns: runs(40) },
    );
  });
});

test("a type that is no text, and cannot become one, is no difference", () => {
  const write = (root: string): void => {
    mkdirSync(root);
    const header = { type: "session", id: "s", version: 3, timestamp: "2026-11-20T10:00:00.000Z", cwd: "" };
    const lines = [header, { type: { toString: false } }].map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(join(root, "odd.jsonl"), lines.join(""));
  };
  withStore(write, (index, root) => expect(differences(index, root)).toEqual([]));
});

/** What words are cut, folded and divided at, or not, by Unicode, SQLite and us. */
const ODD_TEXTS = [
  ...[
    "session",
    "Manager",
    "HTTP",
    "x1Y2",
    "İ",
    "ı",
    "Σ",
    "ς",
    "ß",
    "ẞ",
    "ﬁ",
    "é",
    "e\u0301",
    "\u0345",
    "ǅ",
    "Ⱥ",
    "Ა",
  ],
  ...[
    "ภาษา",
    "ខ្មែរ",
    "中文",
    "ｶﾞ",
    "\u1100\u1161",
    "😀",
    "👩‍👧",
    "\u200d",
    "\u00ad",
    "\ufe0f",
    "𝐚𝐁",
    "𐐀",
    "٣",
    "Ⅷ",
    "²",
    "½",
  ],
  ...[
    "\ue000",
    "\ue001",
    "\ue002",
    "\uf8ff",
    "\ud800",
    "\udc00",
    "\uffff",
    "\u2028",
    "\ufeff",
    "\0",
    '"',
    "'",
    "\\",
    "\n",
  ],
  ...[
    " ",
    " ",
    "_",
    "-",
    ".",
    "/",
    "x".repeat(40_000),
    "Ab".repeat(64),
    "PartsOf".repeat(32),
    "fooBar".repeat(10),
  ],
];

test("whatever words there are, the full text knows them", () => {
  const text = fc.array(fc.constantFrom(...ODD_TEXTS), { maxLength: 30 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (texts) => {
      const write = (root: string): void => {
        const built = session({ id: "a" });
        for (const each of texts) built.user(each);
        built.writeBelow(root);
      };
      withStore(write, (index, root) => expect(differences(index, root)).toEqual([]));
    }),
    { numRuns: runs(20) },
  );
});

test("whatever entries say, read at once or bit by bit, they are in the index as they are", () => {
  const lines = fc.array(fc.tuple(fc.oneof(anyEntry(), anyTreeEntry), fc.boolean()), { maxLength: 12 });
  fc.assert(
    fc.property(anyHeader, lines, (header, entries) => {
      const root = join(tempDir(), "sessions");
      mkdirSync(root);
      const path = join(root, "any.jsonl");
      writeFileSync(path, `${JSON.stringify(header)}\n`);
      const index = openIndex(indexIn(tempDir()));
      try {
        for (const [entry, isSynced] of entries) {
          appendFileSync(path, `${JSON.stringify(entry)}\n`);
          if (isSynced) syncAll(index, [root]);
        }
        syncAll(index, [root]);
        expect(differences(index, root)).toEqual([]);
      } finally {
        index.close();
      }
    }),
    { numRuns: runs(60) },
  );
});

/** Ids that repeat, are missing or empty, and parents that come later or never. */
const anyTreeEntry = fc.record({
  type: fc.constantFrom("message", "label", "note"),
  id: fc.constantFrom("a", "b", "c", "d", "", null),
  parentId: fc.constantFrom("a", "b", "c", "d", "", null),
  targetId: fc.constantFrom("a", "b"),
  label: fc.constantFrom("x", "y", ""),
  timestamp: fc.constantFrom("2026-01-01T00:00:00Z", null),
});

/** One session with everything in it; what is done to its index must be noticed. */
function differencesAfter(sql: string): string[] {
  const write = (root: string) => {
    const built = session({ id: "one" }).user("plan").assistant();
    built
      .label(built.lastId ?? "", "mark")
      .user("more")
      .assistant()
      .compaction("so far")
      .writeBelow(root);
    built.fork({ id: "two" }).assistant().writeBelow(root);
  };
  return withStore(write, (index, root) => {
    index.database.exec(sql);
    return differences(index, root);
  });
}

describe("it is noticed when in the index", () => {
  test.each([
    [
      "UPDATE entry_rows SET entry_id = 'x' WHERE key = 2",
      /^line 3: id is ".{8}" in the file, "x" in the index$/,
    ],
    ["UPDATE entry_rows SET offset = offset + 1 WHERE key = 2", /^line 3: the entry is not in the index$/],
    ["UPDATE entry_rows SET length = 1 WHERE key = 2", /^line 3: length is \d+ in the file, 1 in the index$/],
    ["UPDATE entry_rows SET parent_key = NULL WHERE key = 2", /^line 3: parentKey is 1 in the file, null in/],
    [
      "UPDATE entry_rows SET timestamp = 5 WHERE key = 2",
      /^line 3: timestamp is \d+ in the file, 5 in the index$/,
    ],
    [
      "UPDATE message_rows SET text = 'x' WHERE entry_key = 1",
      /^line 2: text is "plan" in the file, "x" in the index$/,
    ],
    [
      "UPDATE entry_rows SET kind = (SELECT kind FROM entry_rows WHERE key = 1) WHERE key = 2",
      /^line 3: role is/,
    ],
    [
      "UPDATE entry_rows SET preview = 'x' WHERE key = 1",
      /^line 2: preview is "plan" in the file, "x" in the index$/,
    ],
    ["UPDATE usage_kinds SET model = 'x'", /^line 3: usageModel is .* in the file, "x" in the index$/],
    [
      "INSERT INTO turning_entries SELECT file_id, key FROM entry_rows WHERE key = 2",
      /^the index has the compaction or change of settings at byte \d+, which is not in the file$/,
    ],
    ["DELETE FROM turning_entries", /^the compaction or change of settings at byte \d+ is not in the index$/],
    ["DELETE FROM entry_rows WHERE key = 3", /^line 4: the entry is not in the index$/],
    [
      "UPDATE usage_rows SET cost = cost + 0.001 WHERE entry_key = 2",
      /^line 3: cost is .* in the file, .* in the index$/,
    ],
    ["UPDATE usage_rows SET output = output + 1 WHERE entry_key = 2", /^line 3: output is \d+ in the file/],
    ["DELETE FROM usage_rows WHERE entry_key = 2", /^line 3: input is \d+ in the file, null in the index$/],
    [
      "UPDATE usage_rows SET counted = 1",
      /^line \d: what it cost is counted here, and belongs to the session it was copied from$/,
    ],
    ["UPDATE usage_rows SET counted = 0", /^line \d: what it cost is not counted here, where it belongs$/],
    ["UPDATE usage_quarters SET cost = cost + 1", /^the roll-up of .*: cost is .* in the file/],
    ["UPDATE sessions SET cost = cost + 0.01", /^cost is .* in the index, and pi counts/],
    ["UPDATE sessions SET message_count = 9", /^messageCount is 4 in the file, 9 in the index$/],
    ["UPDATE sessions SET inherited_cost = 9", /^inheritedCost is/],
    ["DELETE FROM labels", /^the label of .{8} is not in the index$/],
    ["UPDATE labels SET label = 'x'", /^the label of .{8}: label is "mark" in the file, "x" in the index$/],
    ["UPDATE files SET size = size + 1", /^the file has \d+ bytes, the index has read \d+$/],
    ["UPDATE files SET offset = offset + 1", /^offset is \d+ in the file, \d+ in the index$/],
    ["DELETE FROM sessions WHERE file_id = 1", /^the session is not in the index$/],
    [
      "INSERT INTO malformed_lines SELECT id, 3, 0, 1 FROM files",
      /^the index has the malformed line at byte 0, which/,
    ],
    ["DELETE FROM files", /^the file is not in the index$/],
  ])("%s", (sql, what) => {
    expect(differencesAfter(sql)).toContainEqual(expect.stringMatching(what));
  });
});

test("of many compactions and changes of settings that differ some are told, and the others counted", () => {
  const built = session();
  for (let at = 0; at < 50; at++) built.modelChange("p", `m${at}`);
  withStore(
    (root) => built.writeBelow(root),
    (index, root) => {
      index.database.exec("DELETE FROM turning_entries");
      const told = differences(index, root);
      expect([told.length, told.at(-1)]).toEqual([21, "and 30 more differences"]);
    },
  );
});

test("which copy of a bill counts is only said of the sessions that are asked about, where some are", () => {
  const parent = session({ id: "parent", timestamp: "2026-01-01T00:00:00Z" }).assistant({
    usage: { input: 1 },
  });
  const fork = parent.fork({ id: "fork", timestamp: "2026-01-02T00:00:00Z" });
  const write = (root: string) => [parent, fork].map((built) => built.write(join(root, `${built.id}.jsonl`)));
  withStore(write, (index, root) => {
    index.database.exec("UPDATE usage_rows SET counted = 1 - counted");
    const said = (...names: string[]) => {
      const verifier = new Verifier(index);
      const asked = checkedFiles(index).filter(({ path }) => names.some((name) => path.endsWith(name)));
      verifier.counted(names.length > 0 ? asked : undefined);
      verifier.close();
      return verifier.result.differences.map(({ where, what }) => `${where.slice(root.length + 1)}, ${what}`);
    };
    const wrong = [
      "fork.jsonl, line 2: what it cost is counted here, and belongs to the session it was copied from",
      "parent.jsonl, line 2: what it cost is not counted here, where it belongs",
    ];
    expect([said(), said("fork.jsonl"), said("parent.jsonl")]).toEqual([wrong, [wrong[0]], [wrong[1]]]);
  });
});

describe("it is noticed when a tool call in the index", () => {
  const write = (root: string) => {
    session({ id: "tools" })
      .user("run both")
      .assistant({
        toolCalls: [
          { id: "1", name: "bash" },
          { id: "1", name: "read", arguments: { path: "/a" } },
        ],
      })
      .toolResult("done", { toolCallId: "1", isError: true })
      .writeBelow(root);
  };

  test.each([
    [
      "UPDATE tool_calls SET name = 'x' WHERE name = 'read'",
      /^line 3: the call of read is not in the index as/,
    ],
    ["UPDATE tool_calls SET path = '/b'", /^line 3: the index has a call of read that is not in the file$/],
    [
      "UPDATE tool_calls SET is_error = 0 WHERE is_error = 1",
      /^line 3: the call of read is not in the index/,
    ],
    ["UPDATE tool_calls SET result_key = NULL", /^line 3: the call of read is not in the index/],
    ["UPDATE tool_calls SET duration_ms = -1 WHERE name = 'read'", /^line 3: the call of read is not/],
    ["DELETE FROM tool_calls WHERE name = 'bash'", /^line 3: the call of bash is not in the index/],
  ])("%s", (sql, what) => {
    const found = withStore(write, (index, root) => {
      expect(differences(index, root)).toEqual([]);
      index.database.exec(sql);
      return differences(index, root);
    });
    expect(found).toContainEqual(expect.stringMatching(what));
  });
});

describe("it is noticed when the full text was changed by", () => {
  const write = (root: string) =>
    void session({ id: "one" })
      .user("where is the sessionManager")
      .assistant()
      .write(join(root, "one.jsonl"));

  test.each([
    ["DELETE FROM entry_text WHERE rowid = 1", "line 2: it is not searchable"],
    [
      "DELETE FROM entry_text WHERE rowid = 1; INSERT INTO entry_text (rowid, text) VALUES (1, 'where is it')",
      "line 2: the full text does not have as many words of it as the file",
    ],
    [
      "DELETE FROM entry_text WHERE rowid = 1; INSERT INTO entry_text (rowid, text) VALUES (1, 'where is the sessionManager')",
      "line 2: the full text does not have as many words of it as the file",
    ],
  ])("%s", (sql, what) => {
    const found = withStore(write, (index, root) => {
      expect(differences(index, root)).toEqual([]);
      index.search.exec(sql);
      return differences(index, root);
    });
    expect(found).toEqual([what]);
  });

  // SQLite's own check finds nothing wrong with it.
  test("D9: the loss of what tells which page has which words", () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `word${at}`).join(" ");
    const write = (root: string) => void session().user(many).writeBelow(root);
    const found = withStore(write, (index, root) => {
      index.search.unsafeMode(true).exec("DELETE FROM entry_text_idx");
      expect(index.search.pragma("integrity_check", { simple: true })).toBe("ok");
      return differences(index, root);
    });
    expect(found).toEqual([
      expect.stringMatching(/^the full text does not know \d+ of \d+ words that were looked up$/),
    ]);
  });

  test("words of an entry that says nothing", () => {
    const silent = (root: string) => void session({ id: "one" }).custom("x").write(join(root, "one.jsonl"));
    const found = withStore(silent, (index, root) => {
      index.search.exec("INSERT INTO entry_text (rowid, text) VALUES (1, 'something')");
      return differences(index, root);
    });
    expect(found).toEqual(["line 2: the full text has words of it that are not in the file"]);
  });

  test("D9: what cannot be read in the middle of a long session fails as such", () => {
    const long = "sessionManager ".repeat(130_000);
    const write = (root: string) =>
      void session().user(long).user(long).user(long).user("end").writeBelow(root);
    withStore(write, (index, root) => {
      index.search.exec("DROP TABLE missed_keys");
      expect(() => differences(index, root)).toThrow("no such table: search.missed_keys");
    });
  });

  test("nothing: what is not searchable yet is no difference", () => {
    const found = withStore(write, (index, root) => {
      session({ id: "two" }).user("later").write(join(root, "two.jsonl"));
      syncAll(index, [root]);
      return differences(index, root);
    });
    expect(found).toEqual([]);
  });
});

describe("it is noticed when a file", () => {
  const write = (root: string) =>
    void session({ id: "one" }).user("q").assistant().write(join(root, "one.jsonl"));
  const differing = (change: (path: string) => void): string[] =>
    withStore(write, (index, root) => {
      change(join(root, "one.jsonl"));
      return differences(index, root);
    });

  test("has grown", () => {
    expect(differing((path) => appendFileSync(path, '{"type":"x"}\n'))).toEqual([
      "13 bytes are not in the index yet",
    ]);
  });

  test("has become shorter", () => {
    const found = differing((path) => writeFileSync(path, readFileSync(path).subarray(0, 300)));
    expect(found).toContainEqual(expect.stringMatching(/^the file has 300 bytes, the index has read \d+$/));
  });

  test("says something else in the same place", () => {
    const found = differing((path) =>
      writeFileSync(path, readFileSync(path, "utf8").replace('"ok"', '"no"')),
    );
    expect(found).toContainEqual('line 3: text is "no" in the file, "ok" in the index');
  });

  test("is gone", () => {
    expect(differing((path) => rmSync(path))).toEqual(["the file is gone"]);
  });

  test("has another name", () => {
    expect(differing((path) => renameSync(path, `${path}.jsonl`)).toSorted()).toEqual([
      "the file is gone",
      "the file is not in the index",
    ]);
  });
});

interface PiStats {
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number };
  cost: number;
}
interface PiModules {
  SessionManager: { open(path: string): unknown };
  AgentSession: { prototype: { getSessionStats(this: unknown): PiStats } };
}

describe.skipIf(isMissing("piSessionManagerModule", "piAgentSessionModule", "piAgentModule"))(
  "pi itself computes for a session what the index has",
  () => {
    test.each([
      ["written by pi", (root: string) => void writePiStore({ sessions: 24, seed: 22, agentDir: root })],
      ["with all five sources", writeSpendingStore],
    ])("%s", async (_name, write) => {
      const { SessionManager } = await importPeer<PiModules>("piSessionManagerModule");
      const { AgentSession } = await importPeer<PiModules>("piAgentSessionModule");
      withStore(write, (index) => {
        const rows = index.database
          .prepare(
            `SELECT f.path, s.input, s.output, s.cache_read AS cacheRead, s.cache_write AS cacheWrite, s.cost
             FROM sessions s JOIN files f ON f.id = s.file_id`,
          )
          .all() as ({ path: string; cost: number } & PiStats["tokens"])[];
        expect(rows.length).toBeGreaterThan(4);
        for (const { path, cost, ...tokens } of rows) {
          // Only the session's entries are asked for; a whole agent needs models and keys.
          const agent = { sessionManager: SessionManager.open(path), getContextUsage: () => undefined };
          const { cost: theirs, tokens: counted } = AgentSession.prototype.getSessionStats.call(agent);
          expect([path, cost]).toEqual([path, expect.closeTo(theirs, 9)]);
          expect(counted).toMatchObject(tokens);
        }
      });
    });
  },
);
