import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Filter } from "../../src/filters/filter.ts";
import { SESSION_SORT_KEYS } from "../../src/reports/answers.ts";
import { namesInUse, unmatchedIn } from "../../src/reports/known-names.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "./indexed.ts";

const usage = (input: number) => ({ input, totalTokens: input, cost: { total: input } });

/** `c` comes first by every key. */
function threeSessions() {
  const make = (id: string, hour: number, title: string, calls: number) => {
    const built = session({ id, timestamp: `2026-01-01T0${hour}:00:00.000Z` }).user(title);
    for (let call = 0; call < calls; call++) built.assistant({ usage: usage(10) });
    return built;
  };
  return indexOfSessions(make("a", 3, "zebra", 3), make("b", 2, "Yak", 2), make("c", 1, "ant", 1));
}

test.each(SESSION_SORT_KEYS)("sessions are sorted by %s", (key) => {
  const index = threeSessions();
  const ids = (descending: boolean) =>
    listSessions(index, { sort: { key, descending } }).sessions.map(({ id }) => id);
  expect([ids(false), ids(true)]).toEqual([
    ["c", "b", "a"],
    ["a", "b", "c"],
  ]);
});

test("the last active session comes first unless told", () => {
  expect(listSessions(threeSessions()).sessions.map(({ id }) => id)).toEqual(["a", "b", "c"]);
});

test("the total counts all that match, whatever the limit", () => {
  const { total, sessions } = listSessions(threeSessions(), {
    limit: 2,
    filter: { since: Date.parse("2026-01-01T02:00Z") },
  });
  expect([total, sessions.map(({ id }) => id)]).toEqual([2, ["a", "b"]]);
  expect(listSessions(threeSessions(), { limit: 1 }).total).toBe(3);
});

test.each([
  ["/work/a", ["a", "below", "slash"]],
  ["/work/a/", ["a", "below", "slash"]],
  ["/", ["a", "below", "beside", "slash"]],
])("a project is a folder and what lies below it, however it is written: %s", (project, ids) => {
  const cwds = { a: "/work/a", below: "/work/a/b", beside: "/work/ab", slash: "/work/a/", nowhere: "" };
  const index = indexOfSessions(...Object.entries(cwds).map(([id, cwd]) => session({ id, cwd }).user("x")));
  const { sessions } = listSessions(index, { filter: { project } });
  expect(sessions.map(({ id }) => id).toSorted()).toEqual(ids);
});

test("a part of a model's name is looked for in names, not in what stands between them", () => {
  const index = indexOfSessions(
    session({ id: "two" }).user("x").assistant({ model: "opus-4" }).assistant({ model: 'a "ÜBER" model' }),
    session({ id: "none" }).user("y"),
  );
  const found = (model: string) => listSessions(index, { filter: { model } }).sessions.map(({ id }) => id);
  expect(["OPUS", 'a "', "über", ",", "[", '4","a', '\\"'].map(found)).toEqual([
    ["two"],
    ["two"],
    ["two"],
    [],
    [],
    [],
    [],
  ]);
});

test("sessions are found by every model that usage is stated of, as usage finds them, and by one that states none", () => {
  const index = indexOfSessions(
    session({ id: "warmed" }).assistant({ model: "opus" }).usage("cache_warm", { model: "haiku" }),
    session({ id: "free" }).assistant({ model: "haiku-local", usage: null }),
    session({ id: "other" }).assistant({ model: "opus" }),
  );
  const { sessions } = listSessions(index, { filter: { model: "haiku" } });
  expect(sessions.map(({ id }) => id).toSorted()).toEqual(["free", "warmed"]);
});

test("a further condition finds no session that is not found without it: one whose model or provider never answered", () => {
  const index = indexOfSessions(
    session({ id: "changed" }).modelChange("google", "gemini-3-pro").user("x"),
    session({ id: "free" }).assistant({ provider: "local", model: "tiny", usage: null }),
  );
  const found = (filter: Filter) => listSessions(index, { filter }).sessions.map(({ id }) => id);
  const since = 0;
  expect([
    [found({ provider: "google" }), found({ provider: "google", since })],
    [found({ model: "gemini" }), found({ model: "gemini", since })],
    [found({ provider: "local" }), found({ provider: "local", role: "assistant" })],
  ]).toEqual([
    [["changed"], ["changed"]],
    [["changed"], ["changed"]],
    [["free"], ["free"]],
  ]);
});

test("a session is listed where one entry meets all that is asked of entries, not where several do", () => {
  const index = indexOfSessions(
    session({ id: "a" })
      .user("q", { id: "q" })
      .assistant({ model: "opus", provider: "p" })
      .assistant({ model: "sonnet", provider: "q", stopReason: "error" })
      .usage("cache_warm", { model: "haiku", provider: "p" })
      .label("q", "todo"),
  );
  const isListed = (filter: Filter) => listSessions(index, { filter }).total === 1;
  const both: Filter[] = [
    { model: "sonnet", has: "error" },
    { model: "haiku", type: "usage" },
    { model: "haiku", provider: "p" },
    { label: "todo", role: "user" },
  ];
  const neither: Filter[] = [
    { model: "opus", has: "error" },
    { model: "sonnet", provider: "p" },
    { provider: "p", has: "error" },
    { label: "todo", role: "assistant" },
  ];
  expect([both.filter((each) => !isListed(each)), neither.filter(isListed)]).toEqual([[], []]);
});

test("a session is listed for the times in which something was said, not for those in between", () => {
  const index = indexOfSessions(
    session({ id: "a", timestamp: "2026-10-05T10:00:00.000Z" })
      .user("october")
      .assistant()
      .at("2026-11-05T10:00:00.000Z")
      .user("november"),
    session({ id: "empty", timestamp: "2026-10-06T10:00:00.000Z" }),
  );
  const ids = (since: string, until: string, more: Filter = {}) => {
    const filter = { ...more, since: Date.parse(since), until: Date.parse(until) };
    return listSessions(index, { filter }).sessions.map(({ id }) => id);
  };
  expect([
    ids("2026-10-01", "2026-11-01"),
    ids("2026-10-07", "2026-11-01"),
    ids("2026-11-01", "2026-12-01"),
    ids("2026-11-01", "2026-12-01", { role: "user" }),
    ids("2026-11-01", "2026-12-01", { role: "assistant" }),
  ]).toEqual([["a", "empty"], [], ["a"], ["a"], []]);
});

test.each([true, false])(
  "the first few are the first of all, in the order of paths where times are equal",
  (descending) => {
    const hours = [1, 2, 2, 2, 3, 3, 4];
    const make = (hour: number, at: number) =>
      session({
        id: `s${at}`,
        timestamp: `2026-01-01T0${hour}:00:00.000Z`,
        cwd: at % 2 ? "/odd" : "/even",
      }).user("x");
    // Of equal times the one whose path comes first is not the one indexed first.
    const index = indexOfSessions(...hours.map(make).reverse());
    const sort = { key: "modified", descending } as const;
    for (const filter of [{}, { project: "/odd" }]) {
      const all = listSessions(index, { sort, filter });
      for (let limit = 1; limit <= hours.length + 1; limit++) {
        const { total, sessions } = listSessions(index, { sort, filter, limit });
        expect({ limit, total, sessions }).toEqual({
          limit,
          total: all.total,
          sessions: all.sessions.slice(0, limit),
        });
      }
    }
  },
);

test("only sessions below the roots are listed and counted, also of the first few", () => {
  const [one, two] = [tempDir(), tempDir()];
  const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`;
  session({ id: "a", timestamp: at(1) })
    .user("x")
    .writeBelow(one);
  session({ id: "b", timestamp: at(2) })
    .user("x")
    .writeBelow(one);
  session({ id: "c", timestamp: at(3) })
    .user("x")
    .writeBelow(two);
  const index = indexOf(one, two);
  const idsOf = (roots: string[]) => {
    const { total, sessions } = listSessions(index, { roots, limit: 1 });
    return [total, ...sessions.map(({ id }) => id)];
  };
  expect([idsOf([one]), idsOf([two]), idsOf([one, two]), idsOf([])]).toEqual([
    [2, "b"],
    [1, "c"],
    [3, "c"],
    [0],
  ]);
});

test("a session is listed with all there is to say of it", () => {
  const root = tempDir();
  const parent = session({ id: "parent", cwd: "/p", timestamp: "2026-01-01T10:00:00.000Z" });
  parent.user("What now?\nTell me.").assistant({ usage: usage(5), model: "m" });
  const fork = parent.fork({
    id: "fork",
    cwd: "/q",
    timestamp: "2026-01-02T10:00:00.000Z",
    parentSession: "/p.jsonl",
  });
  fork
    .at("2026-01-02T10:00:01.000Z")
    .user("more")
    .assistant({ usage: usage(7), model: "n" })
    .name("The fork");
  parent.writeBelow(root);
  const path = fork.writeBelow(root);
  const sums = (input: number) => ({ ...usage(input), output: 0, cacheRead: 0, cacheWrite: 0, cost: input });
  expect(listSessions(indexOf(root), { filter: { named: true } }).sessions).toEqual([
    {
      id: "fork",
      path,
      archived: false,
      cwd: "/q",
      project: "/q",
      isCwdGone: true,
      resumeCwd: null,
      name: "The fork",
      title: "The fork",
      firstMessage: "What now?\nTell me.",
      createdAt: "2026-01-02T10:00:00.000Z",
      modifiedAt: "2026-01-02T10:00:01.993Z",
      version: 3,
      messageCount: 4,
      entryCount: 5,
      branchCount: 1,
      leafId: fork.lastId,
      origin: "fork",
      parentSessionPath: "/p.jsonl",
      parentPath: "/p.jsonl",
      rootPath: expect.stringMatching(/_fork\.jsonl$/),
      agent: null,
      subagents: { sessions: 0, cost: 0 },
      models: ["m", "n"],
      sizeBytes: fork.bytes().length,
      usage: { ...sums(12), requests: 2 },
      inherited: { ...sums(5), requests: 1 },
    },
  ]);
});

test("A34: what a session does not say is null, and its title a note", () => {
  const root = tempDir();
  const built = session({ header: { cwd: undefined, timestamp: "never" } })
    .at(0)
    .custom("x");
  built.write(`${root}/a.jsonl`);
  expect(listSessions(indexOf(root)).sessions).toMatchObject([
    { cwd: "", name: null, title: "(no messages)", firstMessage: null, createdAt: null, models: [] },
  ]);
});

test("sessions are of the roots asked for", () => {
  const root = tempDir();
  for (const name of ["a", "ab", "b%"]) session({ id: name }).user("x").write(`${root}/${name}/1.jsonl`);
  const index = indexOf(root);
  const of = (...roots: string[]) => listSessions(index, { roots }).sessions.map(({ id }) => id);
  expect([of(`${root}/a`), of(`${root}/a/`), of(`${root}/b%`), of(), of("/nowhere")]).toEqual([
    ["a"],
    ["a"],
    ["b%"],
    [],
    [],
  ]);
});

test("a provider that pi has renamed is known by both of its names", () => {
  const index = indexOfSessions(
    session({ id: "former" }).user("x").assistant({ provider: "azure-openai-responses" }),
    session({ id: "today" }).user("x").assistant({ provider: "azure" }),
    session({ id: "other" }).user("x").assistant({ provider: "openai" }),
  );
  for (const provider of ["azure", "azure-openai-responses"]) {
    const { sessions } = listSessions(index, { filter: { provider } });
    expect(sessions.map(({ id }) => id).toSorted()).toEqual(["former", "today"]);
    for (const by of ["provider", "model", "tool"] as const) {
      const options = { by, timezone: "UTC", filter: { provider } };
      expect(sumUsage(index, options).rows.map(({ key, requests }) => [key, requests])).toEqual([
        [{ provider: "azure", model: "claude-sonnet-4-5", tool: "none" }[by], 2],
      ]);
    }
  }
  expect(unmatchedIn(index, { filter: { provider: "azur" } })).toEqual([
    { key: "provider", asked: "azur", known: ["azure", "openai"] },
  ]);
  expect(unmatchedIn(index, { filter: { provider: "azure-openai-responses" } })).toEqual([]);
  expect(namesInUse(index, "providers", undefined)).toEqual(["azure", "openai"]);
  const stated = index.database.prepare("SELECT DISTINCT provider FROM usage ORDER BY 1").pluck().all();
  expect(stated).toEqual(["azure", "azure-openai-responses", "openai"]);
});

test("a session whose directory is gone, or of another system, is marked", () => {
  const dir = tempDir();
  const file = join(dir, "file");
  writeFileSync(file, "");
  const cwds: Record<string, string> = {
    here: dir,
    "here, too": dir,
    "a file": file,
    gone: join(dir, "gone"),
    "below a file": join(file, "gone"),
    nowhere: "",
    elsewhere: process.platform === "win32" ? "/home/ada" : "C:\\Users\\Ada",
  };
  const index = indexOfSessions(...Object.entries(cwds).map(([id, cwd]) => session({ id, cwd }).user("x")));
  const marked = listSessions(index).sessions.filter(({ isCwdGone }) => isCwdGone);
  expect(marked.map(({ id }) => id).toSorted()).toEqual(["a file", "below a file", "elsewhere", "gone"]);
});
