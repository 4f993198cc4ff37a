import { expect, test } from "vitest";
import { readCommandLine } from "../../../src/cli/command-line/parse-args.ts";
import { REGISTRY } from "../../../src/cli/registry.ts";

async function read(...argv: string[]): Promise<object> {
  const { entry, args } = await readCommandLine(argv, REGISTRY);
  return { form: entry.form, ...args };
}

test.each([
  [["-zUTC", "list"], { timezone: "UTC" }],
  [["list", "-z", "Asia/Tokyo"], { timezone: "Asia/Tokyo" }],
  [["list", "--json", "-z=UTC"], { timezone: "UTC", json: true }],
  [["list", "--limit=3"], { limit: "3" }],
  [["--limit=3", "list"], { limit: "3" }],
  [["list", "--sessions-dir", "a", "--sessions-dir=b"], { "sessions-dir": ["a", "b"] }],
  [["list", "--no-color", "--no-sync"], { "no-color": true, "no-sync": true }],
  [["--here", "list"], { here: true }],
  [["--db", "list", "--json", "list"], { db: "list", json: true }],
])("%j is understood", async (argv, args) => {
  expect(await read(...argv)).toEqual({ form: "list", ...args });
});

test.each([
  [["list", "--label", "-x"], { label: "-x" }],
  [["list", "--label", "--nothing-we-know"], { label: "--nothing-we-know" }],
  [["list", "--label=--json"], { label: "--json" }],
  [["list", "--limit", "-1"], { limit: "-1" }],
])("a value may begin with a dash where it is no option: %j", async (argv, args) => {
  expect(await read(...argv)).toEqual({ form: "list", ...args });
});

test.each([
  [["search", "tide", "-tool:bash", "-json", "-1"], { query: ["tide", "-tool:bash", "-json", "-1"] }],
  [["search", "-word", "-zUTC"], { query: ["-word", "-zUTC"] }],
  [["search", "-word", "-z", "UTC"], { query: ["-word"], timezone: "UTC" }],
  [
    ["search", "-nothing", "-Casing", "-n5", "-C=2"],
    { query: ["-nothing", "-Casing"], limit: "5", context: "2" },
  ],
  [["find", "-word", "-n", "5"], { query: ["-word"], limit: "5" }],
  [["search", "--label", "-x", "y"], { query: ["y"], label: "-x" }],
  [["search", "a", "--", "--json", "-h"], { query: ["a", "--json", "-h"] }],
])("words of a query may begin with a dash: %j", async (argv, args) => {
  expect(await read(...argv)).toEqual({ form: "search <query..>", ...args });
});

test.each([
  [["sql", "-- a comment\nSELECT 1"], { query: ["-- a comment\nSELECT 1"] }],
  [["sql", "-"], { query: ["-"] }],
  [
    ["sql", "-pday=2026-11-01", "-p", "n=1", "SELECT :n"],
    { query: ["SELECT :n"], param: ["day=2026-11-01", "n=1"] },
  ],
  [["sql", "--", "SELECT ?", "-1"], { query: ["SELECT ?", "-1"] }],
])("a statement, its values and standard input are words: %j", async (argv, args) => {
  expect(await read(...argv)).toEqual({ form: "sql [query..]", ...args });
});

test.each([
  [["-word", "search", "x"], "unknown option -w"],
  [["list", "-xyz"], "unknown option -x"],
  [["list", "--nothing=1"], "unknown option --nothing"],
  [["sql", "SELECT ?", "-1"], "unknown option -1"],
  [["--since", "list"], "--since needs a value"],
  [["list", "-z"], "-z needs a value"],
  [["list", "--json=1", "--since", "7d"], "--json takes no value"],
  [["list", "--sinse", "--limit"], "unknown option --sinse"],
  [["--", "--json"], 'unknown command "--json"'],
])("%j is wrong", async (argv, message) => {
  await expect(read(...argv)).rejects.toThrow(message);
});
