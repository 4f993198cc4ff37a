/** Where we differ from pi on purpose: one test for each row of docs/session-manager.md. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { getDefaultSessionDir } from "../../src/config/pi.ts";
import type { SessionTreeNode } from "../../src/session/entry-tree.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { isMissing } from "../helpers/peers.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { syncFolderOf } from "./index-trouble.ts";
import { piAsReleased } from "./pi.ts";

const hello = { role: "user" as const, content: "hello", timestamp: 1 };

function fileWith(bytes: string | Uint8Array, name = "session.jsonl"): string {
  const path = join(tempDir(), name);
  writeFileSync(path, bytes);
  return path;
}

const textOf = (path: string) => readFileSync(path, "utf8");

function entriesOf(path: string): unknown[] {
  const lines = textOf(path).split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line));
}

/** What can be seen of a manager's memory. */
function memoryOf(manager: SessionManager): unknown {
  return structuredClone([
    manager.getEntries(),
    manager.getLeafId(),
    manager.getSessionId(),
    manager.getSessionFile(),
    manager.getTree(),
  ]);
}

describe("A23: parents that form a circle", () => {
  const circle = session()
    .user("1", { id: "a", parentId: "c" })
    .assistant({}, { id: "b", parentId: "a" })
    .user("3", { id: "c", parentId: "b" });

  test("end a branch and a context before the first entry that would come again", () => {
    const manager = SessionManager.open(fileWith(circle.bytes()));
    expect(manager.getBranch().map((entry) => entry.id)).toEqual(["a", "b", "c"]);
    expect(manager.getBranch("a").map((entry) => entry.id)).toEqual(["b", "c", "a"]);
    expect(manager.buildSessionContext().messages).toHaveLength(3);
    expect(manager.buildContextEntries()).toHaveLength(3);
  });

  test("of entries with one id give a tree without a node inside itself", () => {
    const bytes = session()
      .user("1", { id: "a", parentId: "b" })
      .assistant({}, { id: "b", parentId: "a" })
      .user("3", { id: "a", parentId: null })
      .bytes();
    expect(depthOf(SessionManager.open(fileWith(bytes)).getTree())).toBeLessThan(5);
  });
});

function depthOf(roots: SessionTreeNode[]): number {
  return roots.length === 0 ? 0 : 1 + Math.max(...roots.map((node) => depthOf(node.children)));
}

describe("the first write", () => {
  test("comes with the first message of a user, together with what went before", () => {
    const manager = SessionManager.create(tempDir(), tempDir());
    const path = manager.getSessionFile() ?? "";
    manager.appendModelChange("anthropic", "sonnet");
    manager.appendLabelChange(manager.getLeafId() ?? "", "start");
    expect(existsSync(path)).toBe(false);
    manager.appendMessage(hello);
    expect(entriesOf(path)).toEqual([manager.getHeader(), ...manager.getEntries()]);
  });

  test("comes with a message of a model too, and with nothing that neither has said", () => {
    const manager = SessionManager.create(tempDir(), tempDir());
    const path = manager.getSessionFile() ?? "";
    manager.appendMessage({ role: "bashExecution", command: "ls", timestamp: 1 } as never);
    expect(existsSync(path)).toBe(false);
    manager.appendMessage({ role: "assistant", content: [{ type: "text", text: "hello" }] } as never);
    expect(entriesOf(path)).toEqual([manager.getHeader(), ...manager.getEntries()]);
  });

  test.skipIf(isMissing("piSessionManagerModule"))("comes later in pi 0.87.1", async () => {
    const manager = (await piAsReleased({ version: "0.87.1", peer: "piSessionManagerModule" })).create(
      tempDir(),
      tempDir(),
    );
    manager.appendMessage(hello);
    expect(existsSync(manager.getSessionFile() ?? "")).toBe(false);
  });

  test("of a branch comes at once where somebody has spoken on it", () => {
    const manager = SessionManager.create(tempDir(), tempDir());
    const start = manager.appendModelChange("anthropic", "sonnet");
    const spoken = manager.appendMessage(hello);
    expect(existsSync(manager.createBranchedSession(spoken) ?? "")).toBe(true);
    expect(existsSync(manager.createBranchedSession(start) ?? "")).toBe(false);
  });

  test("never goes to a file that somebody else has made meanwhile", () => {
    const manager = SessionManager.open(join(tempDir(), "planned.jsonl"));
    const path = manager.getSessionFile() ?? "";
    writeFileSync(path, "theirs\n");
    const before = memoryOf(manager);
    expect(() => manager.appendMessage(hello)).toThrow("EEXIST");
    expect(memoryOf(manager)).toEqual(before);
    expect(textOf(path)).toBe("theirs\n");
  });
});

describe("A2: a torn last line", () => {
  test.each([
    ['{"type":"message","id"', 2],
    [JSON.stringify({ type: "custom", id: "whole", parentId: null, customType: "x" }), 3],
  ])("%s stays as it is on opening, and does not swallow what is appended", (tail, entries) => {
    const bytes = session().user("a").assistant().torn(tail).bytes();
    const path = fileWith(bytes);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const manager = SessionManager.open(path);
    expect(manager.getEntries()).toHaveLength(entries);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(statSync(path).mtimeMs).toBe(1_700_000_000_000);
    manager.appendMessage(hello);
    expect(textOf(path)).toBe(`${bytes}\n${JSON.stringify(manager.getLeafEntry())}\n`);
    expect(SessionManager.open(path).getEntries()).toEqual(manager.getEntries());
  });
});

describe("A18: migration", () => {
  const old = session({ version: 1 }).user("a").assistant().compaction("s");

  test("puts a new file in the old one's place, as a whole and with its mode", () => {
    const path = fileWith(old.bytes());
    chmodSync(path, 0o600);
    const { ino } = statSync(path);
    const manager = SessionManager.open(path);
    expect(statSync(path).ino).not.toBe(ino);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(entriesOf(path)).toEqual([manager.getHeader(), ...manager.getEntries()]);
    expect(readdirSync(join(path, ".."))).toEqual(["session.jsonl"]);
    manager.appendMessage(hello);
    expect(SessionManager.open(path).getEntries()).toEqual(manager.getEntries());
  });

  test.each(["5", "true", '"text"', "[1]"])(
    "keeps a line that is JSON but no object, out of the branch: %s",
    (odd) => {
      const [header, first, ...rest] = old.lines();
      const path = fileWith([header, first, odd, ...rest, ""].join("\n"));
      const branch = SessionManager.open(path).getBranch();
      expect(branch.map((entry) => entry.type)).toEqual(["message", "message", "compaction"]);
      expect(textOf(path).split("\n")[2]).toBe(odd);
      expect(SessionManager.open(path).getBranch()).toEqual(branch);
    },
  );

  test.skipIf(process.platform === "win32")("of a file with the longest of names", () => {
    const path = join(fileWith(old.bytes()), "..", `${"n".repeat(249)}.jsonl`);
    writeFileSync(path, old.bytes());
    expect(SessionManager.open(path).getEntries()).toHaveLength(3);
  });
});

describe("B2: a session that changes under us", () => {
  function opened(): { manager: SessionManager; path: string } {
    const path = fileWith(session().user("a").assistant().bytes());
    return { manager: SessionManager.open(path), path };
  }

  test("is written again as a whole when its file was deleted", () => {
    const { manager, path } = opened();
    rmSync(path);
    manager.appendMessage(hello);
    manager.appendMessage(hello);
    expect(entriesOf(path)).toEqual([manager.getHeader(), ...manager.getEntries()]);
  });

  test("is written again when its folder was deleted with it", () => {
    const { manager, path } = opened();
    rmSync(join(path, ".."), { recursive: true });
    manager.appendMessage(hello);
    expect(entriesOf(path)).toHaveLength(4);
  });

  test.skipIf(process.platform === "win32")("is written again behind the link it was opened by", () => {
    const { path } = opened();
    const link = join(tempDir(), "link.jsonl");
    symlinkSync(path, link);
    const manager = SessionManager.open(link);
    rmSync(path);
    manager.appendMessage(hello);
    manager.appendMessage(hello);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(entriesOf(path)).toEqual([manager.getHeader(), ...manager.getEntries()]);
  });

  test.skipIf(process.platform === "win32")(
    "is appended to where its name leads, not where a link led to",
    () => {
      const { manager, path } = opened();
      const [kept, end] = [`${path}.kept`, join(tempDir(), "end.jsonl")];
      renameSync(path, kept);
      symlinkSync(end, path);
      manager.appendMessage(hello);
      expect(entriesOf(end)).toHaveLength(4);
      rmSync(path);
      renameSync(kept, path);
      expect(() => manager.appendMessage(hello)).toThrow("Another file has taken the place");
      rmSync(path);
      manager.appendMessage(hello);
      expect([entriesOf(end).length, entriesOf(path).length]).toEqual([4, 5]);
    },
  );

  test("is left alone when another file stands in its place", () => {
    const { manager, path } = opened();
    const before = memoryOf(manager);
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    const bytes = readFileSync(path);
    expect(() => manager.appendMessage(hello)).toThrow(expect.objectContaining({ code: "io" }));
    expect(memoryOf(manager)).toEqual(before);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    manager.setSessionFile(path);
    manager.appendMessage(hello);
    expect(entriesOf(path)).toHaveLength(4);
  });

  test("is left alone when its file has lost lines", () => {
    const { manager, path } = opened();
    const before = memoryOf(manager);
    truncateSync(path, 0);
    expect(() => manager.appendMessage(hello)).toThrow("has become shorter");
    expect(memoryOf(manager)).toEqual(before);
    expect(textOf(path)).toBe("");
  });

  test("goes on behind the entries of another writer", () => {
    const { manager, path } = opened();
    SessionManager.open(path).appendMessage(hello);
    manager.appendMessage(hello);
    expect(entriesOf(path)).toHaveLength(5);
  });
});

describe("what is no session", () => {
  test("is refused and left as it is, and the session before stays in use", () => {
    const path = fileWith(session().user("a").assistant().bytes());
    const other = fileWith("notes\n", "notes.txt");
    const manager = SessionManager.open(path);
    const before = memoryOf(manager);
    expect(() => manager.setSessionFile(other)).toThrow(`Session file is not a valid pi session: ${other}`);
    expect(memoryOf(manager)).toEqual(before);
    manager.appendMessage(hello);
    expect(textOf(other)).toBe("notes\n");
    expect(entriesOf(path)).toHaveLength(4);
  });

  test("among the branches of a damaged session, a message entry without a message, hinders none", () => {
    const bytes = session().user("a").entry("message", {}).bytes();
    const manager = SessionManager.open(fileWith(bytes));
    const path = manager.createBranchedSession(manager.getLeafId() ?? "") ?? "";
    expect(entriesOf(path)).toHaveLength(3);
  });

  test("in a damaged session, a message entry without a message, keeps nothing from being appended", () => {
    const path = fileWith(session().user("a").entry("message", {}).bytes());
    SessionManager.open(path).appendMessage(hello);
    expect(entriesOf(path)).toHaveLength(4);
  });
});

describe("a session in a JSON array", () => {
  const built = session().user("a").assistant();
  const array = JSON.stringify([built.header, ...built.entries], null, 2);

  test("is read, and goes on in a .jsonl file beside it", () => {
    const path = fileWith(array, "session.json");
    const manager = SessionManager.open(path);
    expect(manager.getEntries()).toEqual(built.entries);
    expect(manager.getSessionFile()).toBe(path);
    manager.appendLabelChange(manager.getLeafId() ?? "", "here");
    expect(manager.getSessionFile()).toBe(`${path}l`);
    expect(entriesOf(`${path}l`)).toEqual([manager.getHeader(), ...manager.getEntries()]);
    expect(textOf(path)).toBe(array);
    manager.appendMessage(hello);
    expect(SessionManager.open(`${path}l`).getEntries()).toEqual(manager.getEntries());
  });

  test("is known by its first bytes, however it is laid out", () => {
    const path = fileWith(`[\n${JSON.stringify(built.header)}\n]\n`, "session.json");
    const manager = SessionManager.open(path);
    manager.appendMessage(hello);
    expect(entriesOf(`${path}l`)).toHaveLength(2);
    const lines = fileWith(built.bytes(), "lines.json");
    SessionManager.open(lines).appendMessage(hello);
    expect(entriesOf(lines)).toHaveLength(4);
  });

  test("is read, and goes on beside, where an index has it too", () => {
    const agentDir = tempDir();
    vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
    const path = fileWith(array, "session.json");
    syncFolderOf(path, { agentDir, undo: [] });
    const manager = SessionManager.open(path);
    expect(manager.getEntries()).toEqual(built.entries);
    manager.appendMessage(hello);
    expect(textOf(path)).toBe(array);
    expect(entriesOf(`${path}l`)).toHaveLength(4);
  });

  test("does not go on over a .jsonl file that is there", () => {
    const path = fileWith(array, "session.json");
    writeFileSync(`${path}l`, "theirs\n");
    const manager = SessionManager.open(path);
    const before = memoryOf(manager);
    expect(() => manager.appendMessage(hello)).toThrow("exists already");
    expect(memoryOf(manager)).toEqual(before);
    expect(textOf(`${path}l`)).toBe("theirs\n");
  });

  test("can be forked; an array without a header is no session", () => {
    const path = fileWith(array, "session.json");
    const fork = SessionManager.forkFrom(path, tempDir(), tempDir());
    expect(fork.getEntries()).toEqual(built.entries);
    const other = fileWith(JSON.stringify(built.entries), "entries.json");
    expect(() => SessionManager.open(other)).toThrow("is not a valid pi session");
  });

  test("is none in a file of lines; elements that are nothing are left out", () => {
    const lines = fileWith(JSON.stringify([built.header, ...built.entries]), "session.jsonl");
    expect(() => SessionManager.open(lines)).toThrow("is not a valid pi session");
    const path = fileWith(JSON.stringify([null, built.header, 0, ...built.entries, ""]), "session.json");
    expect(SessionManager.open(path).getEntries()).toEqual(built.entries);
  });

  test("keeps elements that are no entries, as lines do, however often they come", () => {
    const odd = [5, ...built.entries, 5];
    const path = fileWith(JSON.stringify([built.header, ...odd]), "session.json");
    expect(SessionManager.open(path).getEntries()).toEqual(odd);
  });
});

test("folders are compared as paths, as in pi 1.x: a slash at the end makes no other folder", () => {
  vi.stubEnv("PI_CODING_AGENT_DIR", tempDir());
  const dir = getDefaultSessionDir("/some/project");
  expect(SessionManager.create("/some/project", `${dir}/`).usesDefaultSessionDir()).toBe(true);
  expect(SessionManager.create("/some/project", tempDir()).usesDefaultSessionDir()).toBe(false);
});

test("forkFrom leaves a source without a last newline as it is", () => {
  const bytes = session().user("a").assistant().torn('{"to').bytes();
  const path = fileWith(bytes);
  const fork = SessionManager.forkFrom(path, tempDir(), tempDir());
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(fork.getEntries()).toHaveLength(2);
});

test("a fork into a folder that is named from the current directory stays where it is when that changes", () => {
  const path = fileWith(session().user("a").bytes());
  const dir = tempDir();
  const fork = SessionManager.forkFrom(path, tempDir(), relative(process.cwd(), dir));
  expect(fork.getSessionFile()).toBe(join(dir, basename(fork.getSessionFile() ?? "")));
});

test("a session is begun below folders that are not there yet, whichever was named", () => {
  const [path, dir] = [join(tempDir(), "new", "folder", "a.jsonl"), tempDir()];
  SessionManager.open(path, dir).appendMessage(hello);
  expect(entriesOf(path)).toHaveLength(2);
});

test("an id that is no string is refused, and null is none", () => {
  // As plain JavaScript may call it.
  const create = (options: unknown): SessionManager =>
    Reflect.apply(SessionManager.create, SessionManager, ["/x", tempDir(), options]);
  for (const id of [5, ["a"], true]) {
    expect(() => create({ id })).toThrow("Session id must be non-empty");
  }
  for (const options of [null, { id: null }, { id: undefined }]) {
    expect(create(options).getSessionId()).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("an entry that cannot be written as JSON changes nothing", () => {
  const path = fileWith(session().user("a").bytes());
  const manager = SessionManager.open(path);
  const before = [memoryOf(manager), textOf(path)];
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  expect(() => manager.appendCustomEntry("x", circular)).toThrow("circular");
  expect([memoryOf(manager), textOf(path)]).toEqual(before);
});

test("a summary that cannot be written leaves the leaf where it was", () => {
  const path = fileWith(session().user("a", { id: "first" }).assistant().bytes());
  const manager = SessionManager.open(path);
  const before = memoryOf(manager);
  renameSync(path, `${path}.old`);
  mkdirSync(path);
  expect(() => manager.branchWithSummary("first", "summary")).toThrow();
  expect(memoryOf(manager)).toEqual(before);
});
