import { expect, test } from "vitest";
import { CommandLine } from "../../src/panels/command-line.ts";
import { KnownSessions } from "../../src/panels/known-sessions.ts";
import type { Completer } from "../../src/pi/host.ts";
import { sessionNames } from "../../src/pi/session-names.ts";
import { answering } from "./programs.ts";

const signal = new AbortController().signal;
/** What pi completes itself. */
const before: Completer = {
  triggerCharacters: ["@"],
  getSuggestions: () => Promise.resolve({ items: [{ value: "file", label: "file" }], prefix: "@" }),
  applyCompletion: () => ({ lines: ["theirs"], cursorLine: 0, cursorCol: 6 }),
};

async function completer() {
  const listed = [
    { id: "a1b2", title: "Tide tables", cwd: "/srv/newlyn" },
    { id: "c3d4", title: "Harvest", cwd: "/srv/orchard" },
  ];
  const sessions = new KnownSessions(new CommandLine([answering({ sessions: listed })]));
  await sessions.read(process.cwd(), { all: false });
  return sessionNames(sessions, process.cwd())(before);
}

test("a word behind # offers sessions, and puts in the id of the one that is chosen", async () => {
  const names = await completer();
  expect(names.triggerCharacters).toEqual(["@", "#"]);
  const lines = ["as in #TIDE, please"];
  const found = await names.getSuggestions(lines, 0, 11, { signal });
  expect(found).toEqual({
    prefix: "#TIDE",
    items: [{ value: "session a1b2", label: "Tide tables", description: "/srv/newlyn" }],
  });
  const [item = { value: "", label: "" }] = found?.items ?? [];
  expect(names.applyCompletion(lines, 0, 11, item, "#TIDE")).toEqual({
    lines: ["as in session a1b2 , please"],
    cursorLine: 0,
    cursorCol: 19,
  });
});

test.each(["as in a#b", "see #nothing-like-it", "@src", ""])("%j is left to pi", async (line) => {
  const names = await completer();
  const found = await names.getSuggestions([line], 0, line.length, { signal });
  expect(found?.items.map(({ value }) => value)).toEqual(["file"]);
  expect(names.applyCompletion([line], 0, line.length, { value: "file", label: "" }, "@").lines).toEqual([
    "theirs",
  ]);
});
