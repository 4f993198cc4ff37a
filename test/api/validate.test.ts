import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as library from "../../src/index.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

/** The library as a program without types sees it. */
type Untyped = Record<string, (...given: unknown[]) => unknown>;
const asked: Untyped = Object.fromEntries(
  Object.entries(library).filter(([, value]) => typeof value === "function"),
) as Untyped;

const root = sharedTempDir();
const location = indexIn(sharedTempDir());
let index: library.Index;

beforeAll(() => {
  session().user("Where is the tide table?").writeBelow(root);
  index = library.openIndex(location);
  library.syncAll(index, [root]);
  library.feedSearch(index);
});
afterAll(() => index.close());

/** What is asked, with what is wrong in it, and the sentence that says so. */
const WRONG: [name: string, given: unknown[], sentence: string][] = [
  ["listSessions", [{ limit: -1 }], "options.limit has to be a whole number, 0 or more, but is -1"],
  ["listSessions", [{ limit: "5" }], 'options.limit has to be a whole number, 0 or more, but is "5"'],
  ["listSessions", [{ limit: 1.5 }], "options.limit has to be a whole number, 0 or more, but is 1.5"],
  ["listSessions", [{ limit: null }], "options.limit has to be a whole number, 0 or more, but is null"],
  ["listSessions", [{ limit: 2 ** 53 }], "options.limit has to be a whole number"],
  [
    "listSessions",
    [{ limit: () => 5 }],
    "options.limit has to be a whole number, 0 or more, but is a function",
  ],
  ["listSessions", [{ limit: "5".repeat(50) }], `but is "${"5".repeat(40)}…"`],
  ["listSessions", [null], "options has to be an object, but is null"],
  ["listSessions", [{ filter: null }], "options.filter has to be an object, but is null"],
  ["listSessions", [{ role: "user" }], 'options cannot have "role"'],
  ["listSessions", [{ filter: { modle: "x" } }], 'options.filter cannot have "modle"'],
  ["listSessions", [{ filter: { constructor: "x" } }], 'options.filter cannot have "constructor"'],
  ["listSessions", [{ filter: { project: "pears" } }], 'project has to be an absolute path, but is "pears"'],
  ["listSessions", [{ filter: { since: "2026-01-01" } }], 'getTime() gives it, but is "2026-01-01"'],
  ["listSessions", [{ filter: { since: 8.64e15 + 1 } }], "but is 8640000000000001"],
  ["listSessions", [{ filter: { since: -8.64e15 - 1 } }], "but is -8640000000000001"],
  ["listSessions", [{ filter: { until: new Date(0) } }], "getTime() gives it, but is a Date"],
  ["listSessions", [{ filter: { model: "" } }], 'model has to be a string that is not empty, but is ""'],
  ["listSessions", [{ filter: { provider: " " } }], "provider has to be a string that is not empty"],
  ["listSessions", [{ filter: { role: 5 } }], "role has to be a string that is not empty, but is 5"],
  ["listSessions", [{ filter: { type: "" } }], "type has to be a string that is not empty"],
  [
    "listSessions",
    [{ filter: { tool: ["bash"] } }],
    "tool has to be a string that is not empty, but is an a",
  ],
  ["listSessions", [{ filter: { label: null } }], "label has to be a string that is not empty, but is null"],
  ["listSessions", [{ filter: { origin: "me" } }], "origin has to be one of interactive"],
  ["listSessions", [{ filter: { has: "errors" } }], "has to be one of error, image, compaction, branch"],
  ["listSessions", [{ filter: { named: "no" } }], 'named has to be true or false, but is "no"'],
  ["listSessions", [{ roots: "/home" }], 'options.roots has to be an array, but is "/home"'],
  ["listSessions", [{ roots: ["/home", "a"] }], 'options.roots[1] has to be an absolute path, but is "a"'],
  ["listSessions", [{ sort: { key: "toString", descending: true } }], "options.sort.key has to be one of"],
  ["listSessions", [{ sort: { key: "cost" } }], "options.sort.descending has to be true or false"],
  ["searchEntries", [5], "query has to be a string, but is 5"],
  [
    "searchEntries",
    ["tide", { limit: Number.NaN }],
    "options.limit has to be a whole number, 0 or more, but is NaN",
  ],
  ["searchEntries", ["tide", { context: -1 }], "options.context has to be a whole number"],
  ["searchEntries", ["tide", { sort: "best" }], "options.sort has to be one of relevance, newest, oldest"],
  ["searchEntries", ["tide", { substring: true, limit: -1 }], "options.limit has to be a whole number"],
  ["searchEntries", ["tide", { substring: "no" }], 'options.substring has to be true or false, but is "no"'],
  ["searchEntries", ["tide", { reveal: 0 }], "options.reveal has to be true or false, but is 0"],
  [
    "searchEntries",
    ["tide", { now: new Date(0) }],
    "options.now has to be a time in whole Unix milliseconds",
  ],
  ["searchEntries", ["tide since:7d", { now: 1.5 }], "getTime() gives it, but is 1.5"],
  ["searchEntries", ["tide", { timezone: "Mars/X" }], 'unknown time zone "Mars/X"'],
  ["searchEntries", ["tide", { timezone: "Mars/X", substring: true }], 'unknown time zone "Mars/X"'],
  ["searchEntries", ["tide", { timezone: null }], "options.timezone has to be a string, but is null"],
  ["searchEntries", ["tide", { absolutePath: "/" }], "options.absolutePath has to be a function"],
  ["sumUsage", [{ timezone: "UTC" }], "options.by has to be one of hourly, daily"],
  ["sumUsage", [{ by: "year", timezone: "UTC" }], "options.by has to be one of hourly, daily"],
  ["sumUsage", [{ by: "daily" }], "options.timezone has to be a string, but is undefined"],
  ["sumUsage", [{ by: "model", timezone: "Mars" }], 'unknown time zone "Mars"'],
  ["sumUsage", [{ by: "daily", timezone: "UTC", filter: { since: Number.NaN } }], "gives it, but is NaN"],
  [
    "sumUsage",
    [{ by: "daily", timezone: "UTC", trend: 1e9 }],
    "options.trend has to be a whole number, from 0 to",
  ],
  ["sumUsage", [{ by: "daily", timezone: "UTC", weekStart: "Monday" }], "options.weekStart has to be one of"],
  ["findWaste", [{}], "options.timezone has to be a string, but is undefined"],
  ["findWaste", [{ timezone: "UTC", by: "model" }], 'options cannot have "by"'],
  ["readBudgets", [{ timezone: "UTC", now: 0 }], "options.budgets has to be a list of budgets"],
  ["readBudgets", [{ budgets: [], now: 0 }], "options.timezone has to be a string"],
  ["readBudgets", [{ budgets: [], timezone: "UTC" }], "options.now has to be a time in whole"],
  ["readBudgets", [{ budgets: [], timezone: "Mars", now: 0 }], 'unknown time zone "Mars"'],
  [
    "readBudgets",
    [{ budgets: [{ name: "a" }], timezone: "UTC", now: 0 }],
    "options.budgets[0] has to be an object with a limit",
  ],
  [
    "readBudgets",
    [{ budgets: [{ name: "a", day: 1, project: "~/a" }], timezone: "UTC", now: 0 }],
    'options.budgets[0].project has to be an absolute path, but is "~/a"',
  ],
  [
    "readBudgets",
    [{ budgets: [{ name: "a", daily: 1 }], timezone: "UTC", now: 0 }],
    'options.budgets[0] cannot have "daily"',
  ],
  ["listLabels", [{ limit: Number.POSITIVE_INFINITY }], "options.limit has to be a whole number"],
  ["findTouches", ["a", "a", { home: "/h" }], 'path has to be an absolute path, but is "a"'],
  ["findTouches", [5, "/a", { home: "/h" }], "asked has to be a string, but is 5"],
  ["findTouches", ["a", "/a", { home: "/h", limit: 5 }], 'options cannot have "limit"'],
  ["findTouches", ["a", "/a", { home: "/h", sort: "path" }], "options.sort has to be one of newest, oldest"],
  ["findTouches", ["a", "/a", {}], "options.home has to be an absolute path, but is undefined"],
  ...["tool", "role", "type", "model", "provider", "label"].map((key): (typeof WRONG)[number] => [
    "findTouches",
    ["a", "/a", { home: "/h", filter: { [key]: "x" } }],
    `options.filter cannot have "${key}"`,
  ]),
  ["findTouches", ["a", "/a", { home: "/h", filter: { has: "error" } }], 'filter cannot have "has"'],
  ["readStatus", [{}], "options.now has to be a time in whole Unix milliseconds"],
  ["readStatus", [{ now: 5.5 }], "options.now has to be a time in whole Unix milliseconds, as"],
  ["readStatus", [{ now: 5, since: "today" }], 'getTime() gives it, but is "today"'],
  ["readStatus", [{ now: 5, root: "/a" }], 'options cannot have "root"'],
  ["resolveSession", ["./a", { toPaths: ["/a"] }], "options.toPaths has to be a function, but is an array"],
  ["resolveSession", [undefined], "name has to be a string, but is undefined"],
  ["syncAll", [""], 'roots has to be an array, but is ""'],
  ["syncAll", [[""]], 'roots[0] has to be an absolute path, but is ""'],
  ["syncAll", [["/a"], { rebuild: "no" }], 'options.rebuild has to be true or false, but is "no"'],
  ["syncAll", [["/a"], { isExcluded: "*.tmp" }], "options.isExcluded has to be a function"],
  ["syncAll", [["/a"], { deadlineMs: "x" }], "options.deadlineMs has to be a time in Unix milliseconds"],
  [
    "feedSearch",
    [{ merge: { pages: 5, steps: 1 } }],
    "options.merge.pages has to be one of 64, 512, but is 5",
  ],
  [
    "feedSearch",
    [{ merge: { pages: "64", steps: 1 } }],
    'options.merge.pages has to be one of 64, 512, but is "64"',
  ],
  ["feedSearch", [{ signal: {} }], "options.signal has to be an AbortSignal, but is an object"],
  ["feedSearch", [{ signal: null }], "options.signal has to be an AbortSignal, but is null"],
  ["purge", [{ deadlineMs: Number.NaN }], "options.deadlineMs has to be a time in Unix milliseconds"],
];

test.each(WRONG)("%s of %j says what is wrong with it", (name, given, sentence) => {
  expect(() => asked[name]?.(index, ...given)).toThrow(
    expect.objectContaining({
      name: "SessionDbError",
      code: "usage",
      message: expect.stringContaining(sentence),
    }),
  );
});

/** Functions that return what makes no sense, and the sentence that says so. */
const WRONG_ANSWERS: [name: string, given: unknown[], sentence: string][] = [
  [
    "syncAll",
    [[root], { isExcluded: async () => false }],
    "what options.isExcluded returns has to be true or false, but is a promise",
  ],
  [
    "syncAll",
    [[root], { isExcluded: () => "no" }],
    'isExcluded returns has to be true or false, but is "no"',
  ],
  [
    "syncAll",
    [[root], { now: () => "x" }],
    "what options.now returns has to be a time in whole Unix milliseconds",
  ],
  ["syncAll", [[root], { now: () => 1.5 }], "getTime() gives it, but is 1.5"],
  ["syncAll", [[root], { now: () => Number.NaN }], "getTime() gives it, but is NaN"],
  ["syncAll", [[root], { now: async () => 5 }], "getTime() gives it, but is a promise"],
  [
    "searchEntries",
    ["tide project:sea", { absolutePath: () => "sea" }],
    'what options.absolutePath returns has to be an absolute path, but is "sea"',
  ],
  [
    "resolveSession",
    ["./a", { toPaths: () => "/a" }],
    'what options.toPaths returns has to be an array, but is "/a"',
  ],
  [
    "resolveSession",
    ["./a", { toPaths: () => ["a"] }],
    "what options.toPaths returns[0] has to be an absolute",
  ],
];

test.each(WRONG_ANSWERS)("%s of %j says what a function must not return", (name, given, sentence) => {
  expect(() => asked[name]?.(index, ...given)).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(sentence) }),
  );
});

test.each([{ isExcluded: async () => false }, { now: () => "x" }])(
  "a sync with functions that return what makes no sense leaves the index as it is, even one that would empty it first: %s",
  (functions) => {
    for (const sync of [
      library.syncAll,
      (...given: unknown[]) => Reflect.construct(library.SyncRun, given),
    ]) {
      const given = [index, [root], { rebuild: true, ...functions }];
      expect(() => Reflect.apply(sync, undefined, given)).toThrow(expect.objectContaining({ code: "usage" }));
    }
    expect(library.listSessions(index).total).toBe(1);
  },
);

test("a function that returns what makes no sense later on is found out then", () => {
  const answers = [false, false];
  const isExcluded = () => answers.pop();
  expect(() => asked.syncAll?.(index, [root], { isExcluded })).toThrow(
    "what options.isExcluded returns has to be true or false, but is undefined",
  );
  expect(library.listSessions(index).total).toBe(1);
});

test.each([
  [[""], 'roots has to be an array, but is ""'],
  [[["/a"], { rebuild: "no" }], 'options.rebuild has to be true or false, but is "no"'],
  [[["/a"], { deadlineMs: 5 }], 'options cannot have "deadlineMs"'],
])("a SyncRun of %j says what is wrong with it", (given, sentence) => {
  expect(() => Reflect.construct(library.SyncRun, [index, ...given])).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(sentence) }),
  );
});

test("a SearchFeed says what is wrong with its location", () => {
  expect(() => Reflect.construct(library.SearchFeed, [{ indexPath: "/a", searchPath: "/a" }])).toThrow(
    "indexPath and searchPath are the same file: /a",
  );
});

test.each([
  [[null], "location has to be an object, but is null"],
  [[{ indexPath: "/a" }], "location.searchPath has to be an absolute path, but is undefined"],
  [[{ indexPath: ":memory:", searchPath: "/b" }], 'indexPath has to be an absolute path, but is ":memory:"'],
  [[{ indexPath: "/a\0", searchPath: "/b" }], "location.indexPath has to be an absolute path"],
  [[{ indexPath: "/a", searchPath: "/a" }], "indexPath and searchPath are the same file: /a"],
  [[{ indexPath: "/a", searchPath: "/b" }, { cacheKiB: -5 }], "options.cacheKiB has to be a whole number"],
  [[{ indexPath: "/a", searchPath: "/b" }, { busyTimeoutMs: 1e12 }], "a whole number, from 0 to 2147483647"],
])("openIndex of %j says what is wrong with it, and makes no file", (given, sentence) => {
  expect(() => asked.openIndex?.(...given)).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(sentence) }),
  );
});

test.each([
  [
    { parameters: { positional: [new Date(0)] } },
    "positional[0] has to be null, a number, a bigint, a string or",
  ],
  [{ parameters: { named: { day: true } } }, "options.parameters.named.day has to be null, a number"],
  [{ parameters: [1] }, "options.parameters has to be an object, but is an array"],
  [{ limit: -1 }, "options.limit has to be a whole number"],
  [{ cellLimit: 0.5 }, "options.cellLimit has to be a whole number"],
])("runSql with %j says what is wrong with it", (options, sentence) => {
  expect(() => asked.runSql?.(location, "SELECT ?", options)).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining(sentence) }),
  );
});

test("runSql says what is wrong with a location and a statement", () => {
  expect(() => asked.runSql?.(null, "SELECT 1")).toThrow("location has to be an object, but is null");
  expect(() => asked.runSql?.(location, 1)).toThrow("sql has to be a string, but is 1");
});

test.each([[null], [location]])("what is no open index is named as such: %j", (given) => {
  expect(() => asked.listSessions?.(given)).toThrow("index has to be what openIndex returns");
  expect(() => asked.syncAll?.(given, [root])).toThrow("index has to be what openIndex returns");
});

describe("what makes sense is answered", () => {
  test("with every option there is", () => {
    const scope = { roots: [root], limit: 0 };
    const filter = { since: 0, until: Date.now(), named: false, origin: "interactive" } as const;
    const sort = { key: "cost", descending: true } as const;
    expect(library.listSessions(index, { ...scope, filter, sort }).total).toBe(1);
    const options = { ...scope, filter, sort: "oldest", context: 1, now: 5, timezone: "UTC" } as const;
    expect(library.searchEntries(index, "tide", options).total).toBe(1);
    const report = { ...scope, by: "weekly", timezone: "UTC", weekStart: "sunday", trend: 3, sort } as const;
    expect(library.sumUsage(index, { ...report, times: true, breakdown: true }).rows).toEqual([]);
    const { signal } = new AbortController();
    for (const deadlineMs of [Date.now() + 600_000, Number.POSITIVE_INFINITY]) {
      expect(library.syncAll(index, [root], { deadlineMs, signal, rebuild: false }).complete).toBe(true);
    }
  });

  test("with every option work has", () => {
    const onProgress = () => undefined;
    const hooks = { onProgress, now: Date.now, isExcluded: () => false };
    expect(library.syncAll(index, [root], hooks).complete).toBe(true);
    const merge = { pages: 64, steps: 1 } as const;
    expect(library.feedSearch(index, { onProgress, merge, retryMissed: true }).complete).toBe(true);
    expect(library.purge(index, { deadlineMs: Number.POSITIVE_INFINITY })).toBe(true);
  });

  test("up to the last number and time there are", () => {
    const filter = { since: -8.64e15, until: 8.64e15 };
    expect(library.listSessions(index, { filter, limit: Number.MAX_SAFE_INTEGER }).total).toBe(1);
    const usage = (until: number, timezone: string) =>
      library.sumUsage(index, { by: "daily", timezone, filter: { until } });
    for (const timezone of ["UTC", "Asia/Kathmandu", "America/St_Johns"]) {
      expect(usage(-8.64e15, timezone).totals.requests).toBe(0);
      expect(usage(8.64e15, timezone).until).toMatch(/^\+275760-09-1[23]/);
    }
    library.openIndex(location, { busyTimeoutMs: 2 ** 31 - 1 }).close();
  });

  test("with every kind of value a statement of SQL may have", () => {
    const positional = [null, 1.5, 5n, "pear", new Uint8Array([1, 2])];
    const { rows } = library.runSql(location, "SELECT ?, ?, ?, ?, hex(?)", { parameters: { positional } });
    expect(rows.map((row) => Object.values(row))).toEqual([[null, 1.5, 5, "pear", "0102"]]);
  });

  test("but no number that SQLite cannot hold", () => {
    const parameters = { positional: [2n ** 70n] };
    expect(() => library.runSql(location, "SELECT ?", { parameters })).toThrow(
      expect.objectContaining({ code: "sql", message: expect.stringContaining("bigint is too big") }),
    );
  });

  test("step by step, with how far it is", () => {
    const seen: string[] = [];
    const run = new library.SyncRun(index, [`${root}/./`], { onProgress: ({ phase }) => seen.push(phase) });
    while (run.step()) expect(run.result().complete).toBe(false);
    expect(run.result()).toMatchObject({ complete: true, troubles: [], files: { seen: 1 } });
    expect(seen).not.toEqual([]);
  });

  test("with an option that is undefined, as with one that is left out", () => {
    expect(asked.listSessions?.(index, { limit: undefined, filter: { model: undefined } })).toMatchObject({
      total: 1,
    });
  });
});
