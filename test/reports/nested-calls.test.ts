/** Calls that a tool makes of other tools: pi, from 0.99 on, notes them with the result of the first. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findTouches } from "../../src/reports/files-touched.ts";
import { checkedFiles, Verifier } from "../../src/reports/verify/verify-sessions.ts";
import { searchEntries } from "../../src/search/search.ts";
import type { Index } from "../../src/store/open.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "./indexed.ts";

/** In the file that pi has written, where the script is called and where its result stands. */
const [CALL, RESULT] = [6, 7];

function indexOfPi(): Index {
  const root = tempDir();
  copyFileSync(join(import.meta.dirname, "../fixtures/pi-1/codemode.jsonl"), join(root, "codemode.jsonl"));
  return indexOf(root);
}

function callsIn({ database }: Index): unknown[] {
  return database
    .prepare(
      `SELECT c.line, r.line, t.name, t.path, t.is_error, t.duration_ms FROM tool_calls t
       JOIN entries c ON c.key = t.call_key LEFT JOIN entries r ON r.key = t.result_key ORDER BY t.key`,
    )
    .raw()
    .all();
}

function linesFound(index: Index, query: string, tool?: string): number[] {
  const { hits } = searchEntries(index, query, { limit: 0, filter: tool === undefined ? {} : { tool } });
  return hits.map(({ line }) => line).toSorted();
}

test("each is a tool call, which begins and ends with the result it stands in, and took the time pi has measured", () => {
  expect(callsIn(indexOfPi())).toEqual([
    [CALL, RESULT, "codemode", null, 0, 542],
    [RESULT, RESULT, "read", "notes/apricot.txt", 0, 26],
    [RESULT, RESULT, "write", "notes/out.txt", 0, 8],
    [RESULT, RESULT, "read", "missing-file.txt", 1, 9],
    [RESULT, RESULT, "bash", null, 0, 58],
  ]);
});

test("files that a script has read or changed are found", () => {
  const { touches } = findTouches(indexOfPi(), "notes", "/home/ada/orchard/notes", { home: "/home/ada" });
  expect(touches.map(({ tool, file, line }) => [tool, file, line]).toSorted()).toEqual([
    ["read", "notes/apricot.txt", RESULT],
    ["write", "notes/out.txt", RESULT],
  ]);
});

test("what they were called with, and what went wrong, is searched", () => {
  const index = indexOfPi();
  // The script writes what it has read: no other line has these words in a row.
  expect(linesFound(index, '"marmalade golden apricot"')).toEqual([RESULT]);
  expect(linesFound(index, '"ENOENT no such file"')).toEqual([RESULT]);
});

test("a search for entries of a tool finds the results in which it was called", () => {
  const index = indexOfPi();
  expect(linesFound(index, "quicksilver", "bash")).toEqual([RESULT]);
  expect(linesFound(index, "quicksilver", "edit")).toEqual([]);
});

test("the index is found to be as the file is", () => {
  const verifier = new Verifier(indexOfPi());
  for (const file of checkedFiles(indexOfPi())) verifier.file(file);
  verifier.close();
  expect(verifier.result.differences).toEqual([]);
});

test("one without an end has none, and what is no call of any kind is passed over", () => {
  const calls = [
    { id: "a/1", name: "bash", status: "unfinished" },
    { name: 3, arguments: "x", status: "odd", durationMs: "long" },
    "nothing",
    { id: "a/2", name: "read", arguments: { path: "late.ts" }, status: "ok", durationMs: -1 },
  ];
  const built = session()
    .assistant({ toolCalls: [{ id: "a", name: "codemode", arguments: {} }] })
    .toolResult("done", { toolName: "codemode", nestedCalls: { calls, complete: false } });
  expect(callsIn(indexOfSessions(built))).toEqual([
    [2, 3, "codemode", null, 0, expect.any(Number)],
    [3, null, "bash", null, null, null],
    [3, null, "", null, null, null],
    [3, 3, "read", "late.ts", 0, null],
  ]);
});

describe("of arguments that pi has cut, and of calls beyond those it notes", () => {
  const long = "x".repeat(9000);
  const calls = [
    { id: "a/1", name: "write", status: "ok", argumentsBytes: 9040, durationMs: 3 },
    { id: "a/2", name: "write", status: "ok", argumentsBytes: 9040 },
  ];
  const details = {
    calls: [
      {
        id: "a/1",
        name: "write",
        args: '{"path":"gen/\\u00e9pha.ts","content":"first line\\nquillwort',
        status: "ok",
      },
      { id: "a/2", name: "write", args: `{"content":"\\"path\\":${long}`, status: "ok" },
      { id: "a/3", name: "read", args: '{"path":"late.ts"}', status: "error", error: "gone" },
      { name: "no id" },
    ],
  };
  const store = () =>
    indexOfSessions(
      session()
        .assistant({ toolCalls: [{ id: "a", name: "codemode", arguments: {} }] })
        .toolResult("done", { toolName: "codemode", nestedCalls: { calls, complete: false }, details }),
    );

  test("what the script's result says of them is kept", () => {
    expect(callsIn(store()).slice(1)).toEqual([
      [3, 3, "write", "gen/épha.ts", 0, 3],
      [3, 3, "write", null, 0, null],
      [3, 3, "read", "late.ts", 1, null],
    ]);
  });

  test("and searched", () => {
    const index = store();
    for (const query of ["quillwort", '"first line quillwort"', "late.ts", "gone"]) {
      expect(linesFound(index, query), query).toEqual([3]);
    }
  });
});

test("arguments that were no JSON are searched as the model has sent them", () => {
  const call = {
    type: "toolCall" as const,
    id: "a",
    name: "edit",
    arguments: {},
    argumentsError: 'not JSON: {"quillwort"',
  };
  const built = session()
    .user("go")
    .assistant({ content: [call] });
  expect(linesFound(indexOfSessions(built), "quillwort")).toEqual([3]);
});
