import { describe, expect, test } from "vitest";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { LATER, Store, syncFile } from "./store.ts";

function storeWith(built: SessionBuilder, name = "a.jsonl"): Store {
  const store = new Store();
  built.write(store.path(name));
  store.sync();
  return store;
}

/** Columns of the one session's row. */
function sessionOf(built: SessionBuilder, columns: string, name?: string): unknown[] {
  return storeWith(built, name).rows(`SELECT ${columns} FROM sessions`)[0] ?? [];
}

describe("a session's row", () => {
  const header = { id: "x", cwd: "/home/ada/it's", timestamp: "2026-01-02T03:04:05.678Z" };

  test("says what the header says", () => {
    const time = Date.parse(header.timestamp);
    const built = session({ ...header, parentSession: "/p.jsonl", version: 2 });
    expect(sessionOf(built, "session_id, cwd, version, created_at, parent_session, origin")).toEqual([
      "x",
      header.cwd,
      2,
      time,
      "/p.jsonl",
      "handoff",
    ]);
  });

  test("is of the file's time when the header and the entries state none", () => {
    const store = storeWith(session({ header: { timestamp: "?" }, timestamp: header.timestamp }));
    const [row] = store.rows(
      "SELECT created_at, modified_at = CAST(round(mtime_ms) AS INTEGER) FROM sessions, files",
    );
    expect(row).toEqual([null, 1]);
  });

  test("is of the header's time while nobody has said anything", () => {
    const built = session(header).modelChange("p", "m").toolResult("r");
    expect(sessionOf(built, "last_activity_at, modified_at - created_at")).toEqual([null, 0]);
  });

  test("is of the time somebody last said something", () => {
    const built = session(header).user("a").assistant().label("x", "y");
    expect(sessionOf(built, "modified_at")).toEqual([Date.parse(header.timestamp) + 2000 - 7]);
  });

  test("has the first question of a person as its title, read at once or bit by bit", () => {
    const file = '<file name="/a/notes.md">\nnotes\n</file>\n';
    const built = session(header)
      .user(file)
      .assistant()
      .name("Named")
      .name("")
      .user("what is it?")
      .user("and?");
    const lines = built.bytes().toString().trimEnd().split("\n");
    const whole = storeWith(built).rows("SELECT title FROM sessions");
    const store = new Store();
    const titles = lines.slice(1).map((_line, at) => {
      store.write("a.jsonl", `${lines.slice(0, at + 2).join("\n")}\n`);
      store.sync();
      return store.rows("SELECT title FROM sessions")[0]?.[0];
    });
    expect(titles).toEqual(["@notes.md", "@notes.md", "Named", "@notes.md", "what is it?", "what is it?"]);
    expect(whole).toEqual([["what is it?"]]);
  });

  test("is the same read bit by bit where a parent has no name, and some entry later has none, too", () => {
    const header = '{"type":"session","version":3,"id":"x"}';
    const lines = ['{"type":"note","id":"a","parentId":""}', '{"type":"note","id":"","parentId":"a"}'];
    const store = new Store();
    for (const count of [1, 2]) {
      store.write("a.jsonl", `${[header, ...lines.slice(0, count)].join("\n")}\n`);
      store.sync();
    }
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test.each([
    ["a.jsonl", "interactive"],
    ["s/0f3a/run-12/session.jsonl", "subagent"],
    ["s/0f3a/run-12/other.jsonl", "subagent"],
    ["s/forks/some.jsonl", "subagent"],
    ["2026-11-20T10-00-00-000Z_abc/scout.jsonl", "subagent"],
    ["other/some.jsonl", "interactive"],
    ["run-x/session.jsonl", "interactive"],
  ])("knows a sub-agent by its path: %s: %s", (name, origin) => {
    expect(sessionOf(session(), "origin", name)).toEqual([origin]);
  });

  test("counts messages of all roles, and entries of all types", () => {
    const built = session()
      .user("a")
      .assistant()
      .toolResult("r")
      .bash("ls")
      .system("s")
      .label("x", "y")
      .custom("t");
    expect(sessionOf(built, "message_count, entry_count")).toEqual([5, 7]);
  });

  test("names the models that answered, each once, and the one in use at the end", () => {
    const built = session().assistant({ model: "b" }).assistant({ model: "a" }).assistant({ model: "b" });
    built.modelChange("p", "next");
    expect(sessionOf(built, "models, last_provider, last_model")).toEqual(['["b","a"]', "p", "next"]);
  });

  test.each([
    ["is the beginning of another", ["gpt-5-mini", "gpt-5"]],
    ["is what stands between two", ["a", "b", ","]],
    ["ends another that begins with a quote", ['"a', "a"]],
    ["is made of signs", ["\\", '\\"', '","', "[]", "]", "\\,"]],
  ])("names a model whose name %s", (_name, models) => {
    const built = session();
    for (const model of [...models, ...models]) built.assistant({ model });
    expect(sessionOf(built, "models")).toEqual([JSON.stringify(models)]);
  });
});

describe("a session's title", () => {
  test.each<[string, (one: SessionBuilder) => SessionBuilder, string | null, string]>([
    [
      "the first thing the user said",
      (one) => one.system("s").user("").user("second\n try").user("x"),
      null,
      "second try",
    ],
    ["its name", (one) => one.user("a").name("The name"), "The name", "The name"],
    ["its latest name", (one) => one.name("old").user("a").name(" new "), "new", "new"],
    [
      "the first message again when the name was cleared",
      (one) => one.user("a").name("n").name(""),
      null,
      "a",
    ],
    [
      "the first message again when the name was left out",
      (one) => one.name("n").name().user("a"),
      null,
      "a",
    ],
    ["a note when nothing was said", (one) => one.assistant(), null, "(no messages)"],
  ])("is %s", (_what, build, name, title) => {
    expect(sessionOf(build(session()), "name, title")).toEqual([name, title]);
  });
});

describe("a session's leaf", () => {
  test("is its last entry", () => {
    const built = session().user("a").assistant();
    expect(sessionOf(built, "leaf_id")).toEqual([built.lastId]);
  });

  test("is nothing in an empty session", () => {
    expect(sessionOf(session(), "leaf_id, leaf_key, branch_count")).toEqual([null, null, 0]);
  });

  test("is its last entry, though that is a label or a name", () => {
    const built = session().user("a");
    built.label(built.lastId ?? "", "l");
    expect(sessionOf(built, "leaf_id")).toEqual([built.lastId]);
  });
});

/** Leaves counted one by one: ids that are nobody else's parent. */
function leavesOf(entries: { id: string; parentId: string | null }[]): number {
  const ids = new Set(entries.map(({ id }) => id));
  const parents = new Set(
    entries.filter(({ id, parentId }) => id !== parentId).map(({ parentId }) => parentId),
  );
  return [...ids].filter((id) => !parents.has(id)).length;
}

describe("the number of branches is that of the leaves", () => {
  const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
  const unique = fc.uniqueArray(id, { maxLength: 7 });

  function branchCountOf(entries: { id: string; parentId: string | null }[]): unknown {
    const built = session();
    for (const entry of entries) built.user("x", entry);
    return sessionOf(built, "branch_count")[0];
  }

  test("in any tree", () => {
    const trees = unique.chain((ids) =>
      fc
        .tuple(...ids.map((_, n) => fc.nat(n)))
        .map((picks) => ids.map((own, n) => ({ id: own, parentId: [null, ...ids][picks[n] ?? 0] ?? null }))),
    );
    fc.assert(
      fc.property(trees, (entries) => {
        expect(branchCountOf(entries)).toBe(leavesOf(entries));
      }),
      { numRuns: runs(60) },
    );
  });

  test("in any heap of entries with repeated, missing and circular ids", () => {
    const parentId = fc.oneof(id, fc.constantFrom("gone", null));
    fc.assert(
      fc.property(fc.array(fc.record({ id, parentId }), { maxLength: 9 }), (entries) => {
        const count = branchCountOf(entries);
        const isTree = new Set(entries.map((entry) => entry.id)).size === entries.length;
        if (isTree || entries.length === 0) expect(count).toBe(leavesOf(entries));
        expect(count).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: runs(60) },
    );
  });
});

test("the number of branches is the same whether entries come one by one or all at once, however they are linked", () => {
  const id = fc.constantFrom("", "a", "b", "c", "d", "e", "f", "g", "h");
  const parent = fc.oneof({ weight: 2, arbitrary: fc.constant("the last one") }, id);
  const entries = fc.array(fc.record({ id, parent }), { minLength: 2, maxLength: 9 });
  fc.assert(
    fc.property(entries, (drawn) => {
      const store = new Store();
      const ingest = new FileIndexer(store.index.database, { now: LATER });
      const built = session();
      const branchesOf = (path: string) => {
        syncFile(ingest, path);
        const sql = "SELECT branch_count FROM sessions s JOIN files f ON f.id = s.file_id WHERE f.path = ?";
        return store.column(sql, path)[0];
      };
      for (const [at, { id, parent }] of drawn.entries()) {
        built.user("x", { id, parentId: parent === "the last one" ? built.lastId : parent });
        const growing = branchesOf(built.write(store.path("growing.jsonl")));
        expect(growing).toBe(branchesOf(built.write(store.path(`${at}.jsonl`))));
      }
    }),
    { numRuns: runs(60) },
  );
});

describe("labels", () => {
  const labelsOf = (built: SessionBuilder) =>
    storeWith(built).rows("SELECT target_id, label FROM labels ORDER BY 1");

  test("are the latest of each entry", () => {
    expect(labelsOf(session().label("a", "one").label("b", "two").label("a", "three"))).toEqual([
      ["a", "three"],
      ["b", "two"],
    ]);
  });

  test.each([[""], [undefined]])("are taken away by: %j", (none) => {
    expect(labelsOf(session().label("a", "one").label("a", none))).toEqual([]);
  });
});

describe("tool calls", () => {
  const CALLS =
    "SELECT call_id, name, path, result_key IS NOT NULL, is_error, duration_ms FROM tool_calls ORDER BY key";

  test("have the result that answered them, and how long it took", () => {
    const built = session().assistant({ toolCalls: [{ id: "1", name: "read", arguments: { path: "/a" } }] });
    built.toolResult("out", { isError: true });
    expect(storeWith(built).rows(CALLS)).toEqual([["1", "read", "/a", 1, 1, 1000]]);
  });

  test("wait for their result", () => {
    const built = session().assistant({ toolCalls: [{ id: "1", name: "read" }] });
    expect(storeWith(built).rows(CALLS)).toEqual([["1", "read", null, 0, null, null]]);
  });

  test("with the same id are answered one after the other, the latest first", () => {
    const built = session()
      .assistant({ toolCalls: [{ id: "1", name: "a" }] })
      .toolResult("ra");
    built.assistant({ toolCalls: [{ id: "1", name: "b" }] }).toolResult("rb", { isError: true });
    expect(storeWith(built).rows("SELECT name, is_error FROM tool_calls ORDER BY key")).toEqual([
      ["a", 0],
      ["b", 1],
    ]);
  });

  describe("of one id, as servers make them that send none,", () => {
    const call = (name: string, path: string) => ({ id: "", name, arguments: { path } });
    const broken = () => session().assistant({ toolCalls: [call("bash", "/broken off")] });
    const calling = () =>
      broken().assistant({ toolCalls: [call("bash", "/1"), call("edit", "/2"), call("bash", "/3")] });
    const ENDED = "SELECT path, is_error FROM tool_calls ORDER BY key";

    test("are answered by results of their tool, in their order", () => {
      const built = calling()
        .toolResult("", { toolName: "bash", isError: true })
        .toolResult("", { toolName: "edit" })
        .toolResult("", { toolName: "bash" })
        .toolResult("", { toolName: "edit" });
      expect(storeWith(built).rows(ENDED)).toEqual([
        ["/broken off", null],
        ["/1", 1],
        ["/2", 0],
        ["/3", 0],
      ]);
    });

    test("are so too where their results come later, or one after the other", () => {
      const built = calling();
      const store = storeWith(built);
      for (const toolName of ["bash", "edit", "bash", "edit"]) {
        built.toolResult("", { toolName, isError: toolName === "bash" }).write(store.path("a.jsonl"));
        store.sync();
      }
      expect(store.rows(ENDED)).toEqual([
        ["/broken off", null],
        ["/1", 1],
        ["/2", 0],
        ["/3", 1],
      ]);
      store.feed();
      expect(store.dump()).toEqual(store.rebuilt());
    });

    test("are answered by one that names no tool, the first of the last message", () => {
      const built = calling().toolResult("", { toolName: null });
      expect(storeWith(built).rows(ENDED)).toEqual([
        ["/broken off", null],
        ["/1", 0],
        ["/2", null],
        ["/3", null],
      ]);
    });
  });

  test("are answered by results that come with a later sync", () => {
    const built = session().assistant({ toolCalls: [{ id: "1", name: "read" }] });
    const store = storeWith(built);
    built.toolResult("late").write(store.path("a.jsonl"));
    store.sync();
    store.feed();
    expect(store.column("SELECT result_key IS NOT NULL FROM tool_calls")).toEqual([1]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("are none when only a result is there", () => {
    expect(storeWith(session().toolResult("r")).rows(CALLS)).toEqual([]);
  });
});
