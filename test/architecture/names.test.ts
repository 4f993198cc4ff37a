import { posix } from "node:path";
import { expect, test } from "vitest";
import { exportedNamesOf, lineAt, readSources, type Source } from "../helpers/source-tree.ts";

const sources = readSources("src", "daemon");

/** Rooms in which a name means something only with its room: every command has an `options`, what pi loads copies pi's words. */
const OWN_WORDS = ["src/pi/", "src/panels/", "src/cli/commands/", "src/format/tape/assembly/"];
/** Exported by the library under the name of what it wraps, with its checks around it. */
const WRAPPERS = "src/api/";

const shared = sources.filter(({ path }) => !OWN_WORDS.some((room) => path.startsWith(room)));

/** What stands in more than one place, with its places. */
function repeated(pairs: readonly (readonly [name: string, path: string])[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const [name, path] of pairs) places.set(name, (places.get(name) ?? new Set()).add(path));
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(", ")}`);
}

test("a file name stands once, so that it names its file", () => {
  // Each program has its `main`.
  const named = shared.filter(({ path }) => !/(^|\/)(index|main)\.ts$/.test(path));
  expect(repeated(named.map(({ path }) => [posix.basename(path), path]))).toEqual([]);
});

test("an exported name stands once, so that it names its thing", () => {
  const names = shared
    .filter(({ path }) => !path.startsWith(WRAPPERS) && !path.startsWith("src/store/schema"))
    // What a thread runs is called so in each of its modules.
    .flatMap((source) =>
      exportedNamesOf(source)
        .filter((name) => name !== "serve")
        .map((name) => [name, source.path] as const),
    );
  expect(repeated(names)).toEqual([]);
});

test("a folder holds what one person can see at once", () => {
  const files = sources.map(({ path }) => posix.dirname(path));
  const crowded = [...new Set(files)].filter((folder) => files.filter((each) => each === folder).length > 25);
  expect(crowded).toEqual([]);
});

test("a doc block says what this does, not that it does the same as another", () => {
  expect(sources.flatMap((source) => placesOf(source, /\/\*\*\s*(\*\s*)?The same\b/g))).toEqual([]);
});

test("queries name the columns they need", () => {
  // A remedy may name a statement that is to be typed.
  const asked = sources.filter(({ path }) => !path.startsWith("src/cli/commands/sql"));
  expect(asked.flatMap((source) => placesOf(source, /(?<!sessiondb sql ')\bSELECT\s+(\w+\.)?\*/g))).toEqual(
    [],
  );
});

test("columns are listed where tables are declared only", () => {
  const outside = sources.filter(({ path }) => !path.startsWith("src/store/"));
  expect(
    outside.flatMap((source) =>
      placesOf(
        source,
        /\bINSERT\s+(OR\s+\w+\s+)?INTO\s+(files|sessions|entry_rows|message_rows|tool_calls|usage_rows|usage_quarters|labels)\s*\(/g,
      ),
    ),
  ).toEqual([]);
});

function placesOf(source: Source, pattern: RegExp): string[] {
  return [...source.text.matchAll(pattern)].map(({ index, 0: found }) => {
    const line = lineAt(source, { type: "", start: index, end: index });
    return `${source.path}:${line} ${found.trim()}`;
  });
}
