import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join, relative } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Located, locateSessionFiles } from "../../src/files/locate.ts";
import { isSessionFileName, LINK_DEPTH } from "../../src/files/session-path.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { asNobody, NOBODY } from "./as-nobody.ts";

/** A root with empty files of these names. */
function rootWith(...names: string[]): string {
  const root = tempDir();
  chmodSync(root, 0o755);
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "");
  }
  return root;
}

function namesIn(root: string, located: Located = locateSessionFiles([root])): string[] {
  return located.files.map(({ path }) => relative(root, path));
}

function troublesIn(root: string, located: Located): string[] {
  return located.unreadable.map(({ path, code }) => `${relative(root, path)}: ${code}`);
}

describe("session files are found", () => {
  test("at any depth, in order of their names", () => {
    const root = rootWith(
      "z.jsonl",
      "--a--/b.jsonl",
      "--a--/x/y/run-1/session.jsonl",
      `${"d/".repeat(100)}deep.jsonl`,
    );
    expect(namesIn(root)).toEqual([
      "--a--/b.jsonl",
      "--a--/x/y/run-1/session.jsonl",
      `${"d/".repeat(100)}deep.jsonl`,
      "z.jsonl",
    ]);
  });

  test("B23: by their ending only", () => {
    const root = rootWith("a.jsonl", "b.json", "c.jsonl.bak", "d.JSONL", "e.jsonl~", ".jsonl", "jsonl");
    expect(namesIn(root)).toEqual([".jsonl", "a.jsonl", "b.json"]);
  });

  test("whatever their names are made of", () => {
    const names = ["a b.jsonl", "é日.jsonl", "new\nline.jsonl", "'\".jsonl", "-rf.jsonl"];
    const root = rootWith(...names);
    expect(new Set(namesIn(root))).toEqual(new Set(names));
  });

  test("with their stat and without links in their real path", () => {
    const root = rootWith("real/a.jsonl");
    writeFileSync(join(root, "real", "a.jsonl"), "12345");
    symlinkSync("real", join(root, "link"));
    const [file] = locateSessionFiles([join(root, "link")]).files;
    expect(file).toMatchObject({
      path: join(root, "link", "a.jsonl"),
      realPath: join(root, "real", "a.jsonl"),
      stat: { size: 5 },
    });
  });

  test("below several roots, each file once though the roots overlap", () => {
    const root = rootWith("a/1.jsonl", "b/2.jsonl");
    const located = locateSessionFiles([join(root, "b"), root, join(root, "a")]);
    expect(namesIn(root, located)).toEqual(["b/2.jsonl", "a/1.jsonl"]);
  });

  test("below a root given with a separator at its end", () => {
    const root = rootWith("a.jsonl");
    expect(locateSessionFiles([`${root}/`]).files.map(({ path }) => path)).toEqual([join(root, "a.jsonl")]);
  });
});

describe("links", () => {
  test("B14: to folders are followed", () => {
    const elsewhere = rootWith("a.jsonl");
    const root = rootWith("b.jsonl");
    symlinkSync(elsewhere, join(root, "project"));
    expect(namesIn(root)).toEqual(["b.jsonl", "project/a.jsonl"]);
  });

  test("to one folder are followed once", () => {
    const elsewhere = rootWith("a.jsonl");
    const root = rootWith();
    symlinkSync(elsewhere, join(root, "first"));
    symlinkSync(elsewhere, join(root, "second"));
    expect(namesIn(root)).toEqual(["first/a.jsonl"]);
  });

  test("B14: that lead back up end", () => {
    const root = rootWith("dir/a.jsonl");
    symlinkSync("..", join(root, "dir", "loop"));
    symlinkSync(".", join(root, "dir", "self"));
    expect(namesIn(root)).toEqual(["dir/a.jsonl"]);
  });

  test("to files count once with the file, under its own name", () => {
    const root = rootWith("b.jsonl");
    symlinkSync("b.jsonl", join(root, "a.jsonl"));
    expect(namesIn(root)).toEqual(["b.jsonl"]);
  });

  test("to folders that lie below a root add nothing, wherever they stand", () => {
    const root = rootWith("b/c.jsonl");
    const other = rootWith("d/e.jsonl");
    symlinkSync("b", join(root, "a"));
    symlinkSync(join(other, "d"), join(root, "f"));
    const { files } = locateSessionFiles([root, other]);
    expect(files.map(({ path }) => path)).toEqual([join(root, "b", "c.jsonl"), join(other, "d", "e.jsonl")]);
  });

  test("to one file elsewhere are followed once", () => {
    const elsewhere = rootWith("a.jsonl");
    const root = rootWith();
    for (const name of ["b.jsonl", "c.jsonl", "d.jsonl"])
      symlinkSync(join(elsewhere, "a.jsonl"), join(root, name));
    expect(namesIn(root)).toEqual(["b.jsonl"]);
  });

  test("to a file and to its folder find it once", () => {
    const elsewhere = rootWith("a.jsonl", "b.jsonl");
    const root = rootWith();
    symlinkSync(join(elsewhere, "a.jsonl"), join(root, "c.jsonl"));
    symlinkSync(elsewhere, join(root, "d"));
    symlinkSync(join(elsewhere, "b.jsonl"), join(root, "e.jsonl"));
    expect(namesIn(root)).toEqual(["c.jsonl", "d/b.jsonl"]);
  });

  test("to a file do not hide it where only their own name is excluded", () => {
    const elsewhere = rootWith("a.jsonl");
    const root = rootWith();
    symlinkSync(join(elsewhere, "a.jsonl"), join(root, "b.jsonl"));
    symlinkSync(elsewhere, join(root, "c"));
    const located = locateSessionFiles([root], (path) => path === join(root, "b.jsonl"));
    expect(namesIn(root, located)).toEqual(["c/a.jsonl"]);
  });

  test("of either kind are told, for not every change to what they name is", () => {
    const [plain, linked, dangling] = [rootWith("a.jsonl"), rootWith("a.jsonl"), rootWith()];
    linkSync(join(linked, "a.jsonl"), join(linked, "b.txt"));
    symlinkSync("nowhere", join(dangling, "a"));
    const hasLinks = (root: string) => locateSessionFiles([root]).hasLinks;
    expect([plain, linked, dangling].map(hasLinks)).toEqual([false, true, true]);
  });

  test("that stand in a folder that is linked are followed too", () => {
    const [elsewhere, farther] = [rootWith("a.jsonl"), rootWith("b.jsonl")];
    symlinkSync(farther, join(elsewhere, "on"));
    const root = rootWith();
    symlinkSync(elsewhere, join(root, "project"));
    expect(namesIn(root)).toEqual(["project/a.jsonl", "project/on/b.jsonl"]);
  });

  test("to files need the ending themselves", () => {
    const elsewhere = rootWith("a.jsonl", "notes.txt");
    const root = rootWith();
    symlinkSync(join(elsewhere, "a.jsonl"), join(root, "a"));
    symlinkSync(join(elsewhere, "notes.txt"), join(root, "notes.jsonl"));
    expect(namesIn(root)).toEqual(["notes.jsonl"]);
    writeFileSync(join(root, "more.txt"), "");
    symlinkSync("more.txt", join(root, "more.jsonl"));
    expect(namesIn(root)).toEqual(["more.jsonl", "notes.jsonl"]);
  });

  test("B13: that dangle are ignored", () => {
    const root = rootWith("a.jsonl");
    symlinkSync("nowhere", join(root, "dangling.jsonl"));
    const located = locateSessionFiles([root]);
    expect([namesIn(root, located), located.unreadable]).toEqual([["a.jsonl"], []]);
  });

  test("B13: that lead to themselves are ignored as those that dangle", () => {
    const root = rootWith("a.jsonl");
    symlinkSync("self.jsonl", join(root, "self.jsonl"));
    symlinkSync("there", join(root, "here"));
    symlinkSync("here", join(root, "there"));
    const located = locateSessionFiles([root]);
    expect([namesIn(root, located), located.unreadable]).toEqual([["a.jsonl"], []]);
  });

  test("B14: of the hard kind count once, under the first name", () => {
    const root = rootWith("b.jsonl", "c/d.jsonl");
    linkSync(join(root, "b.jsonl"), join(root, "a.jsonl"));
    linkSync(join(root, "b.jsonl"), join(root, "c", "e.jsonl"));
    expect(namesIn(root)).toEqual(["a.jsonl", "c/d.jsonl"]);
  });
});

describe("B12: what is no regular file is passed by", () => {
  test("a folder named like a session file is a folder", () => {
    expect(namesIn(rootWith("folder.jsonl/a.jsonl"))).toEqual(["folder.jsonl/a.jsonl"]);
  });

  test("a FIFO", () => {
    const root = rootWith("a.jsonl");
    execFileSync("mkfifo", [join(root, "fifo.jsonl")]);
    symlinkSync("fifo.jsonl", join(root, "link.jsonl"));
    expect(namesIn(root)).toEqual(["a.jsonl"]);
  });

  test("a socket", async () => {
    const root = rootWith("a.jsonl");
    const server = createServer();
    onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
    await new Promise<void>((listening) => server.listen(join(root, "socket.jsonl"), listening));
    expect(namesIn(root)).toEqual(["a.jsonl"]);
  });

  test("a device", () => {
    const root = rootWith("a.jsonl");
    symlinkSync("/dev/zero", join(root, "zero.jsonl"));
    expect(namesIn(root)).toEqual(["a.jsonl"]);
  });
});

describe("B15: what cannot be looked at is named, and the rest is found", () => {
  test("a folder without permission", () => {
    const root = rootWith("closed/a.jsonl", "open/b.jsonl");
    chmodSync(join(root, "closed"), 0o000);
    const located = asNobody(() => locateSessionFiles([root]));
    expect([namesIn(root, located), troublesIn(root, located)]).toEqual([
      ["open/b.jsonl"],
      ["closed: EACCES"],
    ]);
  });

  test("a folder that may be listed but not entered", () => {
    const root = rootWith("listed/a.jsonl", "open/b.jsonl");
    chmodSync(join(root, "listed"), 0o444);
    const located = asNobody(() => locateSessionFiles([root]));
    expect([namesIn(root, located), troublesIn(root, located)]).toEqual([
      ["open/b.jsonl"],
      ["listed/a.jsonl: EACCES"],
    ]);
  });

  test("a folder that may be entered but not listed, though links lead to files in it", () => {
    const root = rootWith("closed/a.jsonl");
    chmodSync(join(root, "closed"), 0o111);
    symlinkSync("closed/a.jsonl", join(root, "b.jsonl"));
    const located = asNobody(() => locateSessionFiles([root]));
    expect([namesIn(root, located), troublesIn(root, located)]).toEqual([["b.jsonl"], ["closed: EACCES"]]);
  });

  test("but not what is excluded, by whatever name it goes", () => {
    const [elsewhere, root] = [rootWith(), rootWith("a.jsonl", "closed/b.jsonl")];
    chmodSync(elsewhere, 0o000);
    chmodSync(join(root, "closed"), 0o000);
    symlinkSync(elsewhere, join(root, "link"));
    const troubles = (...excluded: string[]) =>
      troublesIn(
        root,
        asNobody(() => locateSessionFiles([root], (path) => excluded.includes(path))),
      );
    expect(troubles()).toEqual(["closed: EACCES", "link: EACCES"]);
    expect(troubles(join(root, "closed"), elsewhere)).toEqual([]);
    expect(troubles(join(root, "closed"), join(root, "link"))).toEqual([]);
  });

  test("but not a folder that is gone by then", () => {
    const root = rootWith("a.jsonl");
    mkdirSync(join(root, "gone"));
    const located = locateSessionFiles([root], (path) => {
      if (path.endsWith("gone")) rmSync(path, { recursive: true, force: true });
      return false;
    });
    expect([namesIn(root, located), located.unreadable]).toEqual([["a.jsonl"], []]);
  });

  test.runIf(process.platform === "linux")("a file whose name is no UTF-8", () => {
    const root = rootWith("a.jsonl");
    writeFileSync(Buffer.concat([Buffer.from(`${root}/b`), Buffer.from([0xff]), Buffer.from(".jsonl")]), "");
    const located = locateSessionFiles([root]);
    expect([namesIn(root, located), troublesIn(root, located)]).toEqual([
      ["a.jsonl"],
      ["b\ufffd.jsonl: EILSEQ"],
    ]);
  });

  test.runIf(process.platform === "linux")("a folder whose name is no UTF-8", () => {
    const root = rootWith("a.jsonl");
    mkdirSync(Buffer.concat([Buffer.from(`${root}/b`), Buffer.from([0xff])]));
    const located = locateSessionFiles([root]);
    expect([namesIn(root, located), troublesIn(root, located)]).toEqual([["a.jsonl"], ["b\ufffd: EILSEQ"]]);
  });

  test("a link into a folder without permission", () => {
    const elsewhere = rootWith("a.jsonl", "sub/b.jsonl");
    const root = rootWith("c.jsonl");
    symlinkSync(join(elsewhere, "sub"), join(root, "link"));
    chmodSync(elsewhere, 0o000);
    const located = asNobody(() => locateSessionFiles([root]));
    expect([namesIn(root, located), troublesIn(root, located)]).toEqual([["c.jsonl"], ["link: EACCES"]]);
  });

  test("a root without permission is not missing", () => {
    const root = rootWith("closed/sessions/a.jsonl");
    chmodSync(join(root, "closed"), 0o000);
    const located = asNobody(() => locateSessionFiles([join(root, "closed", "sessions")]));
    expect([located.missingRoots, troublesIn(root, located)]).toEqual([[], ["closed/sessions: EACCES"]]);
  });

  test("a root that is a file", () => {
    const root = rootWith("a.jsonl");
    const located = locateSessionFiles([join(root, "a.jsonl")]);
    expect([located.files, troublesIn(root, located)]).toEqual([[], ["a.jsonl: ENOTDIR"]]);
  });
});

describe("B16: a root is missing", () => {
  test("when nothing is there", () => {
    const root = rootWith("a.jsonl");
    const located = locateSessionFiles([join(root, "nowhere"), root]);
    expect([located.missingRoots, namesIn(root, located)]).toEqual([[join(root, "nowhere")], ["a.jsonl"]]);
  });

  test("when it is a link that dangles", () => {
    const root = rootWith();
    symlinkSync("nowhere", join(root, "link"));
    expect(locateSessionFiles([join(root, "link")]).missingRoots).toEqual([join(root, "link")]);
  });
});

test("a file that was moved keeps its inode", () => {
  const root = rootWith("a.jsonl");
  const before = locateSessionFiles([root]).files[0]?.stat.inode;
  renameSync(join(root, "a.jsonl"), join(root, "b.jsonl"));
  expect(locateSessionFiles([root]).files[0]?.stat.inode).toBe(before);
});

test.each([
  ["a.jsonl", true],
  ["a.json", true],
  ["jsonl", false],
  ["a.ndjson", false],
])("%s is the name of a session file: %s", (name, is) => {
  expect(isSessionFileName(name)).toBe(is);
});

describe("G17: a link out of the sessions folder", () => {
  test.each(["/", "/proc", "/sys", "/usr/lib"].filter(existsSync))("is not followed to %s", (target) => {
    const root = tempDir();
    writeFileSync(join(root, "a.jsonl"), "");
    symlinkSync(target, join(root, "out"));
    const { files, hasLinks } = locateSessionFiles([root]);
    expect([files.map(({ path }) => path), hasLinks]).toEqual([[join(root, "a.jsonl")], true]);
  });

  test.runIf(process.getuid?.() === 0)("is not followed to another user's folder", () => {
    const [root, elsewhere] = [tempDir(), tempDir()];
    writeFileSync(join(elsewhere, "a.jsonl"), "");
    symlinkSync(elsewhere, join(root, "out"));
    expect(locateSessionFiles([root]).files).toHaveLength(1);
    chownSync(elsewhere, NOBODY, NOBODY);
    expect(locateSessionFiles([root]).files).toEqual([]);
    expect(locateSessionFiles([elsewhere]).files).toHaveLength(1);
  });

  test("is followed to a bounded depth, through further links, too", () => {
    const [root, elsewhere, farther] = [tempDir(), tempDir(), tempDir()];
    const folders = (depth: number) => Array.from({ length: depth }, () => "d");
    for (const base of [root, elsewhere, farther]) {
      const deepest = join(base, ...folders(20));
      mkdirSync(deepest, { recursive: true });
      for (let depth = 0; depth <= 20; depth++) writeFileSync(join(base, ...folders(depth), "a.jsonl"), "");
    }
    symlinkSync(elsewhere, join(root, "out"));
    symlinkSync(farther, join(elsewhere, "d", "on"));
    const found = locateSessionFiles([root]).files.map(({ realPath }) => realPath);
    const below = (base: string) => found.filter((path) => path.startsWith(realpathSync(base))).length;
    expect([below(root), below(elsewhere), below(farther)]).toEqual([21, LINK_DEPTH, LINK_DEPTH - 2]);
  });
});
