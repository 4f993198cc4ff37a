import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CrashJournal, clearSuspects, FEEDING, READING } from "../../src/store/crash-journal.ts";
import { indexIn } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest } from "../helpers/processes.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";

test("E12: whoever dies while reading is remembered, with the place and how often", () => {
  const folder = tempDir();
  let journal = new CrashJournal(folder, "reading");
  expect(journal.suspect).toBeNull();
  for (const deaths of [1, 2, 3]) {
    journal.begin("/odd\nname.jsonl", 4096);
    journal = new CrashJournal(folder, "reading");
    expect(journal.suspect).toEqual({ realPath: "/odd\nname.jsonl", at: 4096, deaths });
  }
  const modes = ["reading", "reading-deaths.json"].map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600]);
});

test("E12: another place begins to be counted anew, and an end as it should be forgets", () => {
  const folder = tempDir();
  new CrashJournal(folder, "reading").begin("/a.jsonl", 0);
  new CrashJournal(folder, "reading").begin("/a.jsonl", 500);
  const journal = new CrashJournal(folder, "reading");
  expect(journal.suspect).toEqual({ realPath: "/a.jsonl", at: 500, deaths: 1 });
  journal.begin("/b.jsonl", 0);
  journal.end();
  expect(new CrashJournal(folder, "reading").suspect).toBeNull();
  const last = new CrashJournal(folder, "reading");
  last.begin("/c.jsonl", 0);
  last.close();
  expect(readdirSync(folder)).toEqual([]);
});

test("E12: a reader that ends before it has begun to read is not held against what was read before", () => {
  const folder = tempDir();
  new CrashJournal(folder, READING).begin("/a.jsonl", 0);
  expect(new CrashJournal(folder, READING).suspect?.deaths).toBe(1);
  expect(new CrashJournal(folder, READING).suspect).toBeNull();
});

test("E12: what was read by a daemon that was killed for another reason is forgotten, of rows and full text alike", () => {
  const folder = tempDir();
  for (const name of [READING, FEEDING]) new CrashJournal(folder, name).begin("/a.jsonl", 0);
  clearSuspects(folder);
  for (const name of [READING, FEEDING]) expect(new CrashJournal(folder, name).suspect).toBeNull();
});

test.each<[string, (folder: string) => void]>([
  ["its folder was deleted", (folder) => rmSync(folder, { recursive: true })],
  ["its lock alone was deleted", () => undefined],
])("E12: one that ends late leaves alone what its successor says (%s)", (_what, happen) => {
  const folder = join(tempDir(), "index");
  mkdirSync(folder);
  const late = new CrashJournal(folder, READING);
  happen(folder);
  mkdirSync(folder, { recursive: true });
  new CrashJournal(folder, READING).begin("/a.jsonl", 0);
  late.close();
  expect(new CrashJournal(folder, READING).suspect?.deaths).toBe(1);
});

test.each(["{", "null", "[]", '{"realPath":"/a.jsonl","at":0}'])(
  "E12: a count of deaths that makes no sense (%s) begins anew",
  (text) => {
    const folder = tempDir();
    new CrashJournal(folder, READING).begin("/a.jsonl", 0);
    writeFileSync(join(folder, `${READING}-deaths.json`), text);
    expect(new CrashJournal(folder, READING).suspect?.deaths).toBe(1);
  },
);

/** Runs the daemon with too little memory for what is there. */
function startSmall(store: Store) {
  const { indexPath } = indexIn(store.indexFolder);
  const args = ["--max-old-space-size=40", MAIN, "daemon", "run"];
  const places = ["--sessions-dir", store.root, "--db", indexPath];
  return endWithTest(spawn(process.execPath, [...args, ...places], { stdio: "ignore" }));
}

test("E12: a file that has killed the daemon twice is left alone until it changes, and the others are indexed", async () => {
  const store = new Store();
  const bad = session({ id: "bad" });
  const path = bad.write(store.path("bad.jsonl"));
  const { size } = statSync(path);
  session({ id: "good" }).user("apple").write(store.path("good.jsonl"));
  // Millions of objects that are all alive at once.
  const objects = '{"a":1},'.repeat(4e6);
  appendFileSync(path, `{"type":"custom","id":"x","parentId":null,"data":[${objects}0]}\n`);
  for (let death = 1; death <= 2; death++) {
    const [code, signal] = await once(startSmall(store), "exit");
    expect([code, signal]).not.toEqual([0, null]);
  }
  startSmall(store);
  const ids = () => store.column("SELECT session_id FROM sessions ORDER BY session_id");
  await pollUntil(() => ids().includes("good"), { what: "the other file" });
  const failed = () => store.rows("SELECT status, error FROM files WHERE path = ?", path);
  await pollUntil(() => failed()[0]?.[0] === "failed", { what: "the file that is left alone" });
  expect(failed()).toEqual([["failed", "the daemon died 2 times while reading it"]]);
  expect(readFileSync(join(store.indexFolder, "daemon.log"), "utf8")).toContain('"leftAlone":true');
  truncateSync(path, size);
  appendFileSync(path, `${bad.user("banana").lines().at(-1)}\n`);
  await pollUntil(() => ids().length === 2, { what: "the file that has changed" });
});
