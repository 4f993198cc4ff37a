import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { findTouches, type Touches, type TouchOptions } from "../../src/reports/files-touched.ts";
import type { Index } from "../../src/store/open.ts";
import { withIndex } from "../helpers/open-index.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { LATER } from "../indexing/store.ts";
import { indexOf, indexOfSessions } from "./indexed.ts";

const HOME = "/home/ada";

function edits(cwd: string, ...paths: string[]): SessionBuilder {
  const built = session({ id: cwd.replaceAll("/", "-").slice(1), cwd });
  for (const path of paths) {
    built.assistant({ toolCalls: [{ name: "edit", arguments: { path } }] }).toolResult("ok");
  }
  return built;
}

const store = () =>
  indexOfSessions(
    edits("/work/a", "src/main.ts", "/work/b/src/main.ts"),
    edits("/work/b", "./src/main.ts", "src/domain.ts"),
    edits("/work/c", "~/notes/main.ts", "../a/src/other.ts"),
  );

function places({ touches }: Touches): string[] {
  return touches.map(({ session: { cwd }, file }) => `${cwd} ${file}`).toSorted();
}

const find = (asked: string, path: string) => findTouches(store(), asked, path, { home: HOME });

test("a file is found however the tools were given its path", () => {
  const found = find("src/main.ts", "/work/b/src/main.ts");
  expect(found.match).toBe("path");
  expect(places(found)).toEqual(["/work/a /work/b/src/main.ts", "/work/b ./src/main.ts"]);
  expect(places(find("x", "/home/ada/notes/main.ts"))).toEqual(["/work/c ~/notes/main.ts"]);
});

test("calls of one moment come in the order of their files, whichever was read first", () => {
  const root = tempDir();
  withIndex(tempDir(), (index) => {
    for (const id of ["a", "b"]) {
      edits("/work/a", "src/main.ts").write(join(root, `${id}.jsonl`));
      syncAll(index, [root], { now: LATER });
    }
    const { touches } = findTouches(index, "src/main.ts", "/work/a/src/main.ts", { home: HOME });
    expect(touches.map(({ session: { path } }) => basename(path))).toEqual(["a.jsonl", "b.jsonl"]);
  });
});

test("the oldest come first where that is asked for", () => {
  const root = tempDir();
  const read = (day: number) =>
    session({ id: `d${day}`, cwd: "/work/a", timestamp: `2026-11-0${day}T10:00:00Z` })
      .assistant({ toolCalls: [{ name: "read", arguments: { path: "x.ts" } }] })
      .writeBelow(root);
  for (const day of [2, 1, 3]) read(day);
  const told = (sort?: TouchOptions["sort"]) => {
    const options = { home: HOME, ...(sort && { sort }) };
    return findTouches(indexOf(root), "x.ts", "/work/a/x.ts", options).touches.map(
      ({ session }) => session.id,
    );
  };
  expect([told(), told("newest"), told("oldest")]).toEqual([
    ["d3", "d2", "d1"],
    ["d3", "d2", "d1"],
    ["d1", "d2", "d3"],
  ]);
});

test("calls of one message come in their order, whichever was answered first, and read first", () => {
  const said = session({ cwd: "/work/a" });
  said.assistant({
    toolCalls: ["one.ts", "two.ts"].map((path) => ({ id: path, name: "read", arguments: { path } })),
  });
  const answer = () => said.toolResult("ok", { toolCallId: "two.ts", toolName: "read" });
  const root = tempDir();
  const filesFound = (index: Index) =>
    findTouches(index, ".", "/work/a", { home: HOME }).touches.map(({ file }) => file);
  withIndex(tempDir(), (index) => {
    said.write(join(root, "a.jsonl"));
    syncAll(index, [root], { now: LATER });
    answer().write(join(root, "a.jsonl"));
    syncAll(index, [root], { now: LATER });
    expect(filesFound(index)).toEqual(["one.ts", "two.ts"]);
  });
  expect(filesFound(indexOfSessions(said))).toEqual(["one.ts", "two.ts"]);
});

test("a folder finds what lies below it, and nothing beside it", () => {
  expect(places(find("src", "/work/a/src"))).toEqual(["/work/a src/main.ts", "/work/c ../a/src/other.ts"]);
  expect(places(find("sr", "/work/a/sr"))).toEqual([]);
});

test("where nothing is at the path, files that end alike are found, by whole names", () => {
  const found = find("main.ts", "/elsewhere/main.ts");
  expect(found.match).toBe("suffix");
  expect(places(found)).toHaveLength(4);
  expect(places(found).join()).not.toContain("domain");
});

test("what is at the path, but in sessions below other roots, hides no file that ends alike", () => {
  const roots = [tempDir(), tempDir()];
  withIndex(tempDir(), (index) => {
    for (const [at, cwd] of ["/work/a", "/work/b"].entries()) {
      edits(cwd, "main.ts").write(join(roots[at] ?? "", "s.jsonl"));
    }
    syncAll(index, roots, { now: LATER });
    const options = { home: HOME, roots: roots.slice(1) };
    const found = findTouches(index, "main.ts", "/work/a/main.ts", options);
    expect([found.match, places(found)]).toEqual(["suffix", ["/work/b main.ts"]]);
  });
});

test("nor does what is at the path in sessions that are not meant; but what was there earlier does", () => {
  const index = indexOfSessions(edits("/work/a", "main.ts"), edits("/work/b", "main.ts"));
  const find = (filter: TouchOptions["filter"] & object) => {
    const found = findTouches(index, "main.ts", "/work/a/main.ts", { home: HOME, filter });
    return [found.match, places(found)];
  };
  expect(find({ project: "/work/b" })).toEqual(["suffix", ["/work/b main.ts"]]);
  expect(find({ since: LATER() })).toEqual(["path", []]);
});

test("an end may be all that a tool was given, and be written with dots before it, the rest with backslashes", () => {
  const index = indexOfSessions(
    edits("/work/d", "main.ts"),
    edits("/work/e", "C:\\src\\main.ts", "xmain.ts"),
  );
  for (const asked of ["main.ts", "./main.ts", "../main.ts", "/main.ts"]) {
    expect(places(findTouches(index, asked, "/elsewhere/main.ts", { home: HOME }))).toEqual([
      "/work/d main.ts",
      "/work/e C:\\src\\main.ts",
    ]);
  }
});

test("an end may begin above the path that a tool was given, and be that of a folder", () => {
  expect(places(find("a/src/main.ts", "/elsewhere/a/src/main.ts"))).toEqual(["/work/a src/main.ts"]);
  expect(places(find("b/src", "/elsewhere/b/src"))).toEqual([
    "/work/a /work/b/src/main.ts",
    "/work/b ./src/main.ts",
    "/work/b src/domain.ts",
  ]);
  for (const asked of ["/", ".", "rc", "ain.ts"]) expect(places(find(asked, "/elsewhere/x"))).toEqual([]);
});

test("a path is understood as pi's tools understand it", () => {
  const written = ["@src/main.ts", "file:///work/a/src/main.ts", "@/work/a/src/main.ts"];
  const index = indexOfSessions(edits("/work/a", ...written, "file://elsewhere/x", "my\u202ffile.ts"));
  const at = (path: string) => places(findTouches(index, "x", path, { home: HOME }));
  expect(at("/work/a/src/main.ts")).toEqual(written.map((file) => `/work/a ${file}`).toSorted());
  expect(at("/work/a/my file.ts")).toEqual(["/work/a my\u202ffile.ts"]);
});

test("what nobody touched is an empty answer", () => {
  expect(find("nothing.ts", "/work/nothing.ts")).toEqual({ match: "path", touches: [] });
});

test("a touch names the line of the call, and whether it failed", () => {
  const failing = session({ cwd: "/work/a" })
    .assistant({ toolCalls: [{ name: "read", arguments: { path: "gone.ts" } }] })
    .toolResult("ENOENT", { isError: true });
  const { touches } = findTouches(indexOfSessions(failing), "gone.ts", "/work/a/gone.ts", { home: HOME });
  expect(touches).toMatchObject([{ tool: "read", line: 2, isError: true, session: { id: failing.id } }]);
});

test("touches are kept to roots, projects and days", () => {
  const options = { home: HOME, filter: { project: "/work/b" } };
  expect(findTouches(store(), "main.ts", "/work", options).touches).toHaveLength(2);
  expect(findTouches(store(), "main.ts", "/work", { home: HOME, roots: ["/nowhere"] }).touches).toEqual([]);
  expect(findTouches(store(), "x", "/work", { home: HOME, filter: { until: 0 } }).touches).toEqual([]);
});
