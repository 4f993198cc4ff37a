import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { Lease } from "../../daemon/control/lease.ts";
import { writeStatusFile } from "../../daemon/control/status-file.ts";
import { writeServiceRecord } from "../../daemon/service/registration.ts";
import { packageFacts } from "../../src/cli/command-line/package.ts";
import { shellWord } from "../../src/cli/output/shell.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import type { Finding } from "../../src/reports/finding.ts";
import { widthOf } from "../../src/text/width.ts";
import { someStatus } from "../daemon/some-status.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";
import { runCli } from "./pretend-world.ts";

interface Report {
  ok: boolean;
  findings: Finding[];
  code: number;
}

/** A store that is as it should be, indexed when `sync` has been called. */
class Patient extends Store {
  constructor() {
    super();
    chmodSync(this.root, 0o700);
    session({ id: "healthy" }).user("apple").assistant().write(this.path("healthy.jsonl"));
  }

  /** What the doctor says of the files as the index has them. */
  async examined(...argv: string[]): Promise<Report> {
    this.close();
    const { indexPath } = indexIn(this.indexFolder);
    const places = ["--sessions-dir", this.root, "--db", indexPath];
    const { stdout, code } = await runCli(["doctor", ...places, "--json", ...argv], { agentDir: this.root });
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
    return { ok, findings, code };
  }

  /** The same for people, without a terminal. */
  async said(): Promise<string> {
    const { indexPath } = indexIn(this.indexFolder);
    const argv = ["doctor", "--sessions-dir", this.root, "--db", indexPath];
    return (await runCli(argv, { agentDir: this.root })).stdout;
  }

  indexed(): this {
    this.sync();
    this.feed();
    return this;
  }
}

function matching(findings: readonly Finding[], what: RegExp): Finding {
  const found = findings.find((finding) => what.test(finding.what));
  if (found === undefined) throw new Error(`nothing like ${what} in ${JSON.stringify(findings, null, 1)}`);
  return found;
}

test("where everything is as it should be, it says so, and changes nothing", async () => {
  const patient = new Patient().indexed();
  const before = patient.image();
  expect(await patient.examined()).toEqual({ ok: true, findings: [], code: 0 });
  expect(patient.image()).toEqual(before);
  expect(await patient.said()).toBe("Everything is as it should be.\n");
});

test("without an index nothing is made: that is a note", async () => {
  const patient = new Patient();
  const { ok, findings } = await patient.examined();
  expect([ok, findings.map(({ what }) => what)]).toEqual([true, ["there is no index yet"]]);
  expect(readdirSync(patient.indexFolder)).toEqual([]);
});

test("on a terminal sentences are broken at spaces, and commands not at all", async () => {
  const agentDir = tempDir();
  const root = join(agentDir, "a folder of sessions with a long name");
  mkdirSync(root);
  for (const folder of [agentDir, root]) chmodSync(folder, 0o755);
  const argv = ["doctor", "--sessions-dir", root];
  const { stdout } = await runCli(argv, { agentDir, columns: 40, env: { NO_COLOR: "1" } });
  expect(stdout).toContain(`→ chmod 700 ${shellWord(root)}\n`);
  const sentences = stdout.split("\n").filter((line) => !/[/→]/.test(line));
  expect(sentences.join(" ")).toMatch(/the sessions can be read by {2}\s+other users/);
  expect(sentences.filter((line) => widthOf(line) > 40)).toEqual([]);
});

describe("session files", () => {
  const header = (fields = {}): string =>
    `${JSON.stringify({ type: "session", version: 3, id: "x", timestamp: "2026-11-20T10:00:00.000Z", cwd: "/x", ...fields })}\n`;
  const entry = (fields = {}): string =>
    `${JSON.stringify({ type: "message", id: "e1", parentId: null, timestamp: "2026-11-20T10:00:01.000Z", message: { role: "user", content: "x", timestamp: 1 }, ...fields })}\n`;
  const strange = { type: "usage", kind: "x", provider: "p", model: "m", usage: { input: -5 } };

  test.each<[string, string, string, Finding["level"], RegExp]>([
    ["A1", "torn line", `${header()}${entry()}{"type":"mess`, "note", /the last line is incomplete/],
    [
      "A2",
      "malformed line",
      `${header()}{"a":1}{"b":2}\n`,
      "warning",
      /1 line is not a JSON object .*line 2, bytes/,
    ],
    ["A5", "NUL bytes", `${header()}\0\0\0\0\n${entry()}`, "warning", /not a JSON object .*line 2, bytes/],
    ["A8", "byte-order mark", `\ufeff${header()}`, "note", /begins with a byte-order mark/],
    ["A11", "empty file", "", "note", /is not a session: it is empty/],
    ["A13", "no header", entry(), "note", /its first entry is not a session header/],
    [
      "A14",
      "title line first",
      `{"title":"x"}\n${header()}`,
      "note",
      /its first entry is not a session header/,
    ],
    ["A16", "two headers", `${header()}${header({ id: "y" })}`, "warning", /two headers/],
    ["A21", "unknown type", `${header()}${entry({ type: "hologram" })}`, "note", /does not know: hologram/],
    [
      "A27",
      "strange usage",
      `${header()}${entry(strange)}`,
      "note",
      /1 place where usage is not a sensible number/,
    ],
    ["A18", "newer version", header({ version: 9 }), "note", /format version 9/],
  ])("%s: a %s is named, with what to do", async (_row, _name, text, level, what) => {
    const patient = new Patient();
    patient.write("odd.jsonl", text);
    const { findings, code } = await patient.indexed().examined();
    const finding = matching(findings, what);
    expect([finding.level, code]).toEqual([level, 0]);
    expect([findings.length, /odd\.jsonl|^$/.test(finding.where)]).toEqual([1, true]);
  });

  test("A29: an array too long to read is named, with how it can be read", async () => {
    const patient = new Patient();
    truncateSync(patient.write("old.json", `[${header()},`), 65 * 1024 * 1024);
    const { findings } = await patient.indexed().examined();
    expect(matching(findings, /as one array it is too long to read \(68\.2 MB\)/).remedy).toContain("jq -c");
  });

  test("A1: a line that somebody was just writing when the file was read is not named", async () => {
    const patient = new Patient().indexed();
    const path = patient.write("growing.jsonl", `${header()}${entry()}{"type":"mess`);
    patient.sync({ now: () => Math.floor(statSync(path).mtimeMs) });
    patient.feed();
    expect((await patient.examined()).findings).toEqual([]);
  });

  test("what the index has not read yet is counted, for all that is said of session files comes from it", async () => {
    const patient = new Patient();
    patient.write("gone.jsonl", `${header()}nonsense\n`);
    const path = patient.write("mended.jsonl", `${header()}nonsense\n`);
    patient.indexed();
    patient.write("new.jsonl", `${header()}nonsense\n`);
    writeFileSync(path, `${header()}${entry()}${entry()}`);
    rmSync(patient.path("gone.jsonl"));
    const finding = matching((await patient.examined()).findings, /since the index was brought up to date/);
    expect(finding).toMatchObject({ level: "note", what: expect.stringMatching(/^3 session files are new/) });
    patient.indexed();
    const { findings } = await patient.examined();
    expect(findings.map(({ where }) => where)).toEqual([`${patient.path("new.jsonl")}:2`]);
  });

  test("A2: bytes of the malformed line are those of the file", async () => {
    const patient = new Patient();
    patient.write("odd.jsonl", `${header()}nonsense\n${entry()}`);
    const { findings } = await patient.indexed().examined();
    const [, from, to] = /bytes (\d+) to (\d+)/.exec(matching(findings, /not a JSON object/).what) ?? [];
    expect(`${header()}nonsense`.slice(Number(from), Number(to))).toBe("nonsense");
  });

  test("B15: what cannot be read is an error until it can", async () => {
    const patient = new Patient();
    const path = patient.write("locked.jsonl", header());
    chmodSync(patient.root, 0o755);
    chmodSync(path, 0);
    patient.asNobody(() => patient.sync());
    chmodSync(patient.root, 0o700);
    const { ok, findings, code } = await patient.examined();
    expect([ok, code, matching(findings, /cannot be read \(EACCES\)/).where]).toEqual([false, 1, path]);
  });

  test("E12: a file that is left alone is an error with what to try", async () => {
    const patient = new Patient().indexed();
    const path = patient.path("healthy.jsonl");
    new FileIndexer(patient.index.database).giveUp(path, path, "the daemon died 2 times while reading it");
    const { findings, code } = await patient.examined();
    expect([code, matching(findings, /is skipped until it changes: the daemon died/).remedy]).toEqual([
      1,
      expect.stringContaining("--rebuild"),
    ]);
  });

  test("B12 and B13: FIFOs and links that lead nowhere are named", async () => {
    const patient = new Patient().indexed();
    spawnSync("mkfifo", [patient.path("pipe.jsonl")]);
    symlinkSync("/nowhere", patient.path("link.jsonl"));
    const { findings } = await patient.examined();
    expect(matching(findings, /not a regular file/).where).toBe(patient.path("pipe.jsonl"));
    expect(matching(findings, /is broken \(ENOENT\)/).where).toBe(patient.path("link.jsonl"));
  });

  test("programs are told all of a kind, people the first ten, and once what to do about them", async () => {
    const patient = new Patient();
    for (let n = 0; n < 15; n++) patient.write(`newer${n}.jsonl`, header({ version: 9 }));
    const { findings } = await patient.indexed().examined();
    expect(findings).toHaveLength(15);
    const text = await patient.said();
    const times = (what: string): number => text.split(what).length - 1;
    expect([times("format version 9"), times(".jsonl\n"), times("→")]).toEqual([1, 10, 1]);
    expect(text).toContain("and 5 more; sessiondb doctor --json lists them all\n");
  });
});

describe("places", () => {
  test("B16: a sessions folder that is not there is a warning, and a file in its place an error", async () => {
    const patient = new Patient().indexed();
    rmSync(patient.root, { recursive: true });
    expect(matching((await patient.examined()).findings, /there is no sessions folder/).level).toBe(
      "warning",
    );
    writeFileSync(patient.root, "");
    const { ok, findings } = await patient.examined();
    expect([ok, matching(findings, /is not a folder/).where]).toEqual([false, patient.root]);
    rmSync(patient.root);
    mkdirSync(patient.root);
  });

  test("B16: sessions that vanished at once, and stay in the answers, are a warning", async () => {
    const patient = new Patient();
    for (let number = 0; number < 25; number++) {
      session({ id: `s${number}` })
        .user("x")
        .write(patient.path(`p/${number}.jsonl`));
    }
    patient.indexed();
    renameSync(patient.root, `${patient.root}-away`);
    mkdirSync(patient.path("p"), { recursive: true, mode: 0o700 });
    onTestFinished(() => rmSync(`${patient.root}-away`, { recursive: true }));
    const { ok, findings } = await patient.examined();
    const { level, where, remedy } = matching(
      findings,
      /^26 session files are gone, most of the folder at once/,
    );
    expect([ok, findings.length, level, where]).toEqual([true, 1, "warning", patient.root]);
    expect(remedy).toMatch(/^Bring the folder back.* sync --rebuild/);
    // A file below two of the folders that are asked about is one file.
    const twice = await patient.examined("--sessions-dir", patient.path("p"));
    expect(twice.findings.map(({ what }) => what)).toEqual([expect.stringMatching(/^26 session files/)]);
  });

  test("F6: modes that let others in are named with the command that mends them", async () => {
    const patient = new Patient().indexed();
    chmodSync(patient.indexFolder, 0o755);
    chmodSync(join(patient.indexFolder, "index-v1.db"), 0o644);
    chmodSync(patient.root, 0o755);
    // Files that SQLite puts beside a database have its mode.
    await patient.examined();
    const { ok, findings } = await patient.examined();
    const remedies = findings.map(({ remedy }) => remedy);
    expect(ok).toBe(true);
    expect(remedies).toEqual(
      expect.arrayContaining([
        `chmod 700 ${shellWord(patient.indexFolder)}`,
        `chmod 600 ${shellWord(join(patient.indexFolder, "index-v1.db"))}`,
        `chmod 700 ${shellWord(patient.root)}`,
      ]),
    );
    for (const remedy of remedies) expect(spawnSync("sh", ["-c", remedy]).status).toBe(0);
    expect((await patient.examined()).findings).toEqual([]);
  });

  test("a file where the folder of the index should be is an error", async () => {
    const agentDir = tempDir();
    writeFileSync(join(agentDir, "file"), "");
    const place = ["--db", join(agentDir, "file", "index.db")];
    const { stdout, code } = await runCli(["doctor", "--json", ...place], { agentDir });
    const { findings } = JSON.parse(stdout) as Report;
    const finding = matching(findings, /there is no folder for the index/);
    expect([code, finding.remedy]).toEqual([1, expect.stringContaining("--db FILE")]);
  });

  test("an index among other files has nothing said about those", async () => {
    const patient = new Patient().indexed();
    const folder = patient.indexFolder;
    chmodSync(folder, 0o755);
    for (const name of ["notes.txt", "photo.jpg"]) writeFileSync(join(folder, name), "", { mode: 0o644 });
    expect((await patient.examined()).findings).toEqual([]);
  });

  test("F6: a file of pi's with secrets that others may read is a warning, and stays as it is", async () => {
    const patient = new Patient().indexed();
    const path = patient.write("auth.json", "{}");
    chmodSync(path, 0o644);
    const finding = matching((await patient.examined()).findings, /may hold secrets/);
    expect([finding.where, finding.remedy]).toEqual([path, `chmod 600 ${shellWord(path)}`]);
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  test("C10: an index inside the sessions folder is an error", async () => {
    const patient = new Patient();
    const db = patient.path("index-v1.db");
    const { stdout, code } = await runCli(["doctor", "--sessions-dir", patient.root, "--db", db, "--json"], {
      agentDir: patient.root,
    });
    expect([code, matching(JSON.parse(stdout).findings, /inside a sessions folder/).where]).toEqual([1, db]);
  });
});

describe("the index", () => {
  const path = (patient: Patient) => indexIn(patient.indexFolder).indexPath;

  function damage(file: string, at: number): void {
    const fd = openSync(file, "r+");
    writeSync(fd, Buffer.alloc(20_000, 0xaa), 0, 20_000, at);
  }

  test.each([
    ["is no database", (file: string) => writeFileSync(file, "no database, ".repeat(1000))],
    ["is damaged inside", (file: string) => damage(file, 40_000)],
    ["is cut short", (file: string) => truncateSync(file, 20_000)],
  ])("D9: one that %s is made anew, and that is said", async (_name, hurt) => {
    const patient = new Patient().indexed();
    patient.close();
    hurt(path(patient));
    const { ok, findings, code } = await patient.examined();
    expect([ok, code]).toEqual([true, 0]);
    expect(matching(findings, /put aside/)).toMatchObject({
      level: "note",
      where: `${path(patient)}.damaged`,
    });
    expect(patient.rows("SELECT count(*) FROM sessions")).toEqual([[1]]);
  });

  test("D9: a file that may be no index at all is left alone, and what to do about it is said", async () => {
    const patient = new Patient();
    const notes = join(tempDir(), "notes.db");
    writeFileSync(notes, "dear diary");
    const { ok, findings, code } = await patient.examined("--db", notes);
    expect([ok, code, readFileSync(notes, "utf8")]).toEqual([false, 1, "dear diary"]);
    expect(matching(findings, /no session index/).remedy).toMatch(/delete it and run sessiondb sync/);
  });

  test("D9: damage to the full text is found too", async () => {
    const patient = new Patient();
    for (let n = 0; n < 30; n++) {
      const text = Array.from({ length: 300 }, (_, word) => `word${n}x${word}`).join(" ");
      session({ id: `s${n}` })
        .user(text)
        .write(patient.path(`s${n}.jsonl`));
    }
    patient.indexed().close();
    const { searchPath } = indexIn(patient.indexFolder);
    damage(searchPath, statSync(searchPath).size - 30_000);
    const { ok, findings } = await patient.examined();
    expect([ok, matching(findings, /damaged/).where]).toEqual([true, `${searchPath}.damaged`]);
  });

  test("D11: one of a newer program is an error", async () => {
    const patient = new Patient().indexed();
    patient.index.database.pragma("user_version = 999");
    expect(matching((await patient.examined()).findings, /newer version/).remedy).toMatch(/[Uu]pdate/);
  });

  test("D5: a large write-ahead log is a warning", async () => {
    const patient = new Patient().indexed();
    patient.close();
    const log = `${path(patient)}-wal`;
    writeFileSync(log, "", { mode: 0o600 });
    truncateSync(log, 300 * 1024 * 1024);
    expect(matching((await patient.examined()).findings, /write-ahead log/).where).toBe(log);
  });

  test("D9: a damaged one that was put aside is a note", async () => {
    const patient = new Patient().indexed();
    writeFileSync(`${path(patient)}.damaged`, "", { mode: 0o600 });
    expect(matching((await patient.examined()).findings, /put aside/).level).toBe("note");
  });

  test("D9: a folder that is named like one is none", async () => {
    const patient = new Patient().indexed();
    mkdirSync(`${path(patient)}.damaged`);
    expect((await patient.examined()).findings.filter(({ what }) => /put aside/.test(what))).toEqual([]);
  });

  test("sessions of folders that are not asked about are a note, which says where they lie and how they go", async () => {
    const patient = new Patient();
    const other = tempDir();
    for (const name of ["a/1", "a-b/2", "b/c/3"])
      session({ id: name })
        .user("x")
        .write(join(other, `${name}.jsonl`));
    syncAll(patient.index, [other]);
    expect(
      matching((await patient.indexed().examined()).findings, /3 sessions of other folders/),
    ).toMatchObject({
      level: "note",
      where: other,
      remedy: expect.stringContaining(path(patient)),
    });
  });

  test("entries that cannot be searched yet are a note", async () => {
    const patient = new Patient();
    patient.sync();
    expect(matching((await patient.examined()).findings, /cannot be searched yet/).level).toBe("note");
  });
});

describe("the daemon", () => {
  function running(patient: Patient, fields: { version?: string; degraded?: string }): void {
    const location = indexIn(patient.indexFolder);
    const lease = Lease.take(location);
    onTestFinished(() => lease?.release());
    writeStatusFile(patient.indexFolder, {
      ...someStatus(patient.indexFolder, process.pid),
      version: packageFacts().version,
      state: "degraded",
      roots: [patient.root],
      ...fields,
    });
  }

  test("C1: what keeps it from doing all it should is a warning", async () => {
    const patient = new Patient().indexed();
    running(patient, { degraded: "no more folders can be watched (ENOSPC)" });
    const { ok, findings } = await patient.examined();
    expect([ok, matching(findings, /the daemon is degraded: no more folders/).level]).toEqual([
      true,
      "warning",
    ]);
  });

  test("one that is installed and runs is as it should be", async () => {
    const patient = new Patient().indexed();
    const unit = join(patient.indexFolder, "daemon-a.service");
    writeFileSync(unit, "", { mode: 0o600 });
    writeServiceRecord(patient.indexFolder, { mechanism: "systemd", path: unit, launch: [process.execPath] });
    running(patient, {});
    expect((await patient.examined()).findings).toEqual([]);
  });

  test("one of another version should be started again", async () => {
    const patient = new Patient().indexed();
    running(patient, { version: "0.0.1" });
    expect(matching((await patient.examined()).findings, /is version 0\.0\.1/).remedy).toBe(
      "sessiondb daemon restart",
    );
  });

  test("one of an earlier version, which says less of itself, has a status all the same", async () => {
    const patient = new Patient().indexed();
    running(patient, { version: "0.0.1" });
    const path = join(patient.indexFolder, "daemon-status.json");
    const { progress: _progress, searchQueue: _queue, ...less } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify(less), { mode: 0o600 });
    patient.close();
    const { indexPath } = indexIn(patient.indexFolder);
    const argv = ["daemon", "status", "--sessions-dir", patient.root, "--db", indexPath];
    const { code, stdout } = await runCli(argv, { agentDir: patient.root });
    expect([code, stdout]).toEqual([0, expect.stringContaining("version 0.0.1")]);
  });

  test("what starts it at login and is gone is an error; installed and not running a warning", async () => {
    const patient = new Patient().indexed();
    const unit = join(patient.indexFolder, "a.service");
    const gone = "/gone/bin/node";
    const record = (program: string, script = fileURLToPath(import.meta.url)) =>
      writeServiceRecord(patient.indexFolder, {
        mechanism: "systemd",
        path: unit,
        launch: [program, "--flag", script, "daemon", "run"],
      });
    record(process.execPath);
    expect(matching((await patient.examined()).findings, /what starts it is gone/).where).toBe(unit);
    writeFileSync(unit, "", { mode: 0o600 });
    expect(matching((await patient.examined()).findings, /installed but not running/).level).toBe("warning");
    record(process.execPath, "/gone/main.js");
    expect(matching((await patient.examined()).findings, /no longer exists/).where).toBe("/gone/main.js");
    record(gone);
    const { ok, findings } = await patient.examined();
    expect([ok, matching(findings, /no longer exists/).where]).toEqual([false, gone]);
  });
});

test("D22: without the native module it says how to get it", () => {
  const folder = tempDir();
  const project = fileURLToPath(new URL("../..", import.meta.url));
  for (const part of ["dist", "package.json", "migrations"]) {
    cpSync(join(project, part), join(folder, part), { recursive: true });
  }
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(project, "node_modules"))) {
    if (name.startsWith("better-sqlite3")) continue;
    symlinkSync(join(project, "node_modules", name), join(folder, "node_modules", name));
  }
  const main = join(folder, "dist", "src", "cli", "main.js");
  const examine = () =>
    spawnSync(process.execPath, [main, "doctor", "--agent-dir", folder], { encoding: "utf8" });
  const missing = examine();
  expect([missing.status, missing.stdout]).toEqual([1, expect.stringMatching(/cannot be loaded on Node/)]);
  expect(missing.stdout).toContain(`cd ${shellWord(folder)} && npm install --omit=dev\n`);
});

test("G9: a parent that stands nowhere is named, and a last line that hides newer work", async () => {
  const patient = new Patient();
  const gap = session({ id: "gap" }).user("begin").assistant();
  gap.branchFrom("deadbeef").user("after the gap").assistant().write(patient.path("gap.jsonl"));
  const killed = session({ id: "killed" }).user("begin").assistant();
  const first = killed.lastId;
  killed.user("go on").assistant().branchFrom(first).usage("cache_warm").write(patient.path("killed.jsonl"));
  const asked = session({ id: "asked again" }).user("begin");
  const question = asked.lastId;
  asked.assistant().branchFrom(question).assistant().write(patient.path("asked.jsonl"));
  const { ok, findings } = await patient.indexed().examined();
  expect(ok).toBe(true);
  expect(matching(findings, /line 4 answers is not in the file \(deadbeef\)/)).toMatchObject({
    level: "warning",
    where: `${patient.path("gap.jsonl")}:4`,
  });
  expect(
    matching(findings, /^2 newer entries are not on the branch that goes on.* line 6 after them$/),
  ).toMatchObject({
    level: "warning",
    where: `${patient.path("killed.jsonl")}:6`,
  });
  expect(findings.filter(({ level }) => level === "warning")).toHaveLength(2);
});
