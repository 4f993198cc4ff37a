import { expect, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import { resolvePlace, resolveSession } from "../../src/filters/resolve-session.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "../reports/indexed.ts";

function said(id: string, day: number, text = `session ${id}`) {
  return session({ id, timestamp: `2026-11-0${day}T10:00:00.000Z` })
    .user(text)
    .assistant();
}

/** Two ids with a common beginning, one that another begins with, and a copy of a file. */
function store() {
  const root = tempDir();
  const paths = {
    one: said("aaaa-1111", 1).writeBelow(root),
    two: said("aaaa-2222", 4).writeBelow(root),
    short: said("bb", 2).writeBelow(root),
    long: said("bbcc", 3).writeBelow(root),
  };
  return { root, paths, index: indexOf(root) };
}

function errorOf(ask: () => unknown): SessionDbError {
  try {
    ask();
  } catch (error) {
    if (error instanceof SessionDbError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

test("a session is named by its path, its id, and any unique beginning of its id", () => {
  const { index, paths } = store();
  for (const name of [paths.one, "aaaa-1111", "aaaa-1"]) {
    expect(resolveSession(index, name)).toMatchObject({ id: "aaaa-1111", path: paths.one });
  }
});

test("a path is understood with doubled separators and dots in it", () => {
  const { index, paths, root } = store();
  const within = paths.one.slice(root.length);
  for (const between of ["/", "/.", "/nowhere/.."]) {
    expect(resolveSession(index, `${root}${between}${within}`).path).toBe(paths.one);
    const toPaths = (name: string) => [`${root}${between}/${name}`];
    expect(resolveSession(index, within.slice(1), { toPaths }).path).toBe(paths.one);
  }
});

test("an empty name is the beginning of no id, were there only one session", () => {
  const root = tempDir();
  said("aaaa-1111", 1).writeBelow(root);
  expect(errorOf(() => resolveSession(indexOf(root), "")).code).toBe("usage");
});

test("a whole id wins over ids that begin with it", () => {
  const { index } = store();
  expect(resolveSession(index, "bb").id).toBe("bb");
  expect(resolveSession(index, "bbc").id).toBe("bbcc");
});

test("an id is found in whatever case it is written, after those in the very case", () => {
  const root = tempDir();
  said("AAAA-1", 1).writeBelow(root);
  said("aaaa-2", 2).writeBelow(root);
  const index = indexOf(root);
  expect(resolveSession(index, "aaaa").id).toBe("aaaa-2");
  expect(resolveSession(index, "aaaa-1").id).toBe("AAAA-1");
  expect(resolveSession(index, "AAAA-2").id).toBe("aaaa-2");
  expect(errorOf(() => resolveSession(index, "Aaaa")).code).toBe("ambiguous");
});

test("a file that is there and not in the index is told from one that is not there", () => {
  const { index } = store();
  const elsewhere = said("cc", 5).writeBelow(tempDir());
  expect(errorOf(() => resolveSession(index, elsewhere)).hint).toContain("--sessions-dir FOLDER");
  expect(errorOf(() => resolveSession(index, `${elsewhere}x`)).hint).not.toContain("--sessions-dir");
});

test("where there are no sessions, latest says so", () => {
  expect(errorOf(() => resolveSession(indexOf(tempDir()), "latest")).message).toBe("there are no sessions");
});

test("latest is the session that was active last", () => {
  const { index } = store();
  expect(resolveSession(index, "latest").id).toBe("aaaa-2222");
});

test("latest, ids and beginnings stay below the roots that are asked about", () => {
  const { index, paths } = store();
  const elsewhere = { roots: [tempDir()] };
  expect(errorOf(() => resolveSession(index, "latest", elsewhere)).code).toBe("not_found");
  expect(errorOf(() => resolveSession(index, "aaaa-1", elsewhere)).code).toBe("not_found");
  expect(resolveSession(index, paths.one, elsewhere).id).toBe("aaaa-1111");
});

test("an ambiguous beginning is an error that lists the candidates, last active first", () => {
  const { index } = store();
  const error = errorOf(() => resolveSession(index, "aaaa"));
  expect(error.code).toBe("ambiguous");
  expect(error.choices).toEqual([
    "aaaa-2222  2026-11-04  session aaaa-2222",
    "aaaa-1111  2026-11-01  session aaaa-1111",
  ]);
});

test("a title among the candidates ends in an ellipsis where it was cut; a name is never cut", () => {
  const root = tempDir();
  const long = "word ".repeat(40);
  session({ id: "long-1" }).user(long).writeBelow(root);
  session({ id: "long-2" }).user(long).name("n".repeat(120)).writeBelow(root);
  const { choices } = errorOf(() => resolveSession(indexOf(root), "long"));
  const titles = choices.map((choice) => choice.split("  ")[2]).toSorted();
  expect(titles).toEqual(["n".repeat(120), `${"word ".repeat(24).trimEnd()}…`]);
});

test("an id that several files hold is told by their paths", () => {
  const root = tempDir();
  const [first, second] = [`${root}/a/one.jsonl`, `${root}/b/two.jsonl`];
  for (const path of [first, second]) said("copied", 1).write(path);
  const error = errorOf(() => resolveSession(indexOf(root), "copied"));
  expect(error.code).toBe("ambiguous");
  expect(error.choices.map((choice) => choice.split("  ")[0]).toSorted()).toEqual([first, second]);
});

test("of very many candidates the first ten are listed", () => {
  const root = tempDir();
  for (let i = 0; i < 12; i++) said(`many-${i}x`, 1).writeBelow(root);
  const { choices, message } = errorOf(() => resolveSession(indexOf(root), "many"));
  expect(message).toContain("12 sessions");
  expect(choices).toHaveLength(11);
  expect(choices.at(-1)).toBe("and 2 more");
});

test.each(["nothing", "%", "_", "' OR 1=1 --", "/no/such/file.jsonl", "\u{10ffff}"])(
  "what names no session is not found: %s",
  (name) => {
    expect(errorOf(() => resolveSession(store().index, name)).code).toBe("not_found");
  },
);

function named(...names: [id: string, name: string][]) {
  const root = tempDir();
  for (const [id, name] of names) session({ id }).user("x").name(name).writeBelow(root);
  return indexOf(root);
}

test("a session is found by the name it was given, in its case before others, and by the name's beginning", () => {
  const index = named(
    ["1-a", "Release"],
    ["2-b", "release"],
    ["3-c", "Übung: fix/login"],
    ["4-d", "Zwei Wörter"],
  );
  const idOf = (name: string) => resolveSession(index, name).id;
  expect([idOf("Release"), idOf("release")]).toEqual(["1-a", "2-b"]);
  expect([idOf("übung: FIX/login"), idOf("zwei wörter"), idOf("zwei")]).toEqual(["3-c", "4-d", "4-d"]);
  const { code, message, choices } = errorOf(() => idOf("RELEASE"));
  expect([code, message, choices.length]).toEqual([
    "ambiguous",
    '2 sessions are called, or begin with, "RELEASE"',
    2,
  ]);
});

test("a whole name wins over names that begin with it, and an id over names", () => {
  const index = named(["1-a", "parser"], ["2-b", "parser again"], ["3-c", "1-a"]);
  const idOf = (name: string) => resolveSession(index, name).id;
  expect([idOf("Parser"), idOf("parser a"), idOf("1-a")]).toEqual(["1-a", "2-b", "1-a"]);
  expect(errorOf(() => idOf("pars")).choices).toHaveLength(2);
});

test("a name that is also the beginning of another session's id stands for neither; of its own, for that one", () => {
  const index = named(["fee-1", "other"], ["2-b", "fee"], ["cafe-2", "cafe"]);
  expect(
    errorOf(() => resolveSession(index, "fee"))
      .choices.map((choice) => choice.split("  ")[0])
      .toSorted(),
  ).toEqual(["2-b", "fee-1"]);
  expect(resolveSession(index, "cafe").id).toBe("cafe-2");
});

test("a session's name stays below the roots that are asked about", () => {
  const index = named(["1-a", "parser"]);
  expect(errorOf(() => resolveSession(index, "parser", { roots: [tempDir()] })).code).toBe("not_found");
});

test("a place is a session and an entry of it, unless a session is called so", () => {
  const index = indexOfSessions(
    session({ id: "01a0e225-f3d8-77f5-af20-75336cd59424" }).name("release 1:2").user("x"),
    session({ id: "01a0e226-f3d8-77f5-af20-75336cd59424" }).name("other").user("x"),
  );
  const placed = (name: string) => {
    const { ref, entry } = resolvePlace(index, name);
    return [ref.id.slice(0, 8), entry];
  };
  expect(placed("01a0e225:2")).toEqual(["01a0e225", ":2"]);
  expect(placed("01a0e226:2.3")).toEqual(["01a0e226", ":2.3"]);
  expect(placed("other:7")).toEqual(["01a0e226", ":7"]);
  expect(placed("Release 1:2")).toEqual(["01a0e225", undefined]);
  expect(placed("01a0e226")).toEqual(["01a0e226", undefined]);
  const { path } = resolvePlace(index, "other").ref;
  expect(placed(`${path}:2`)).toEqual(["01a0e226", ":2"]);
  expect(() => resolvePlace(index, "none:2")).toThrowError(/there is no session "none"/);
});
