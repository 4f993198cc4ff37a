import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, parse } from "node:path";
import { setImmediate } from "node:timers/promises";
import chokidar, { FSWatcher } from "chokidar";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FolderWatches } from "../../../daemon/components/folder-watches.ts";
import { Watcher, type WatcherOptions } from "../../../daemon/components/watcher.ts";
import { isWithin, NOTHING_EXCLUDED } from "../../../src/files/session-path.ts";
import { asNobody } from "../../files/as-nobody.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const WATCHER_CLOSED = join(import.meta.dirname, "watcher-closed.mjs");

/** A watcher on one root, and what it has told since `forget`. */
class Watched {
  readonly root: string;
  readonly hints = new Set<string>();
  unclear = 0;
  readonly watcher: Watcher;

  constructor(root = tempDir(), options: Partial<WatcherOptions> = {}) {
    this.root = root;
    this.watcher = new Watcher(
      { roots: [root], isExcluded: NOTHING_EXCLUDED, platform: "linux", ...options },
      { onChange: (path) => void this.hints.add(path), onUnclear: () => void this.unclear++ },
    );
    onTestFinished(() => this.watcher.close());
    this.watcher.checkRoots();
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  forget(): void {
    this.hints.clear();
    this.unclear = 0;
  }

  async hears(...names: string[]): Promise<void> {
    await pollUntil(() => this.hints.has(this.path(...names)), { what: `a hint at ${names.join("/")}` });
  }
}

describe.each<NodeJS.Platform>(["linux", "darwin"])("watching as on %s", (platform) => {
  test("hears of files in the root, in folders that were there and in those that come, at any depth", async () => {
    const root = tempDir();
    mkdirSync(join(root, "old", "deep"), { recursive: true });
    const watched = new Watched(root, { platform });
    writeFileSync(watched.path("flat.jsonl"), "x");
    await watched.hears("flat.jsonl");
    writeFileSync(watched.path("old", "deep", "a.jsonl"), "x");
    await watched.hears("old", "deep", "a.jsonl");
    mkdirSync(watched.path("new", "deeper"), { recursive: true });
    writeFileSync(watched.path("new", "deeper", "b.jsonl"), "x");
    await watched.hears("new", "deeper", "b.jsonl");
    watched.forget();
    appendFileSync(watched.path("new", "deeper", "b.jsonl"), "y");
    await watched.hears("new", "deeper", "b.jsonl");
  });

  test("hears of packed files in an archive that comes later, and does without it until then", async () => {
    const [root, archive] = [tempDir(), join(tempDir(), "archive")];
    const watched = new Watched(root, { platform, archives: [archive] });
    expect(watched.watcher.hearsAll).toBe(platform === "linux");
    mkdirSync(join(archive, "p"), { recursive: true });
    watched.watcher.checkRoots();
    writeFileSync(join(archive, "p", "a.jsonl.gz"), "x");
    await pollUntil(() => watched.hints.has(join(archive, "p", "a.jsonl.gz")));
  });

  test("hears of files in folders that are called as session files are", async () => {
    const root = tempDir();
    mkdirSync(join(root, "p"));
    const watched = new Watched(root, { platform });
    for (const name of ["a.json", "b.jsonl"]) {
      mkdirSync(watched.path("p", name, "deep.json"), { recursive: true });
      writeFileSync(watched.path("p", name, "deep.json", "s.jsonl"), "x");
      await watched.hears("p", name, "deep.json", "s.jsonl");
    }
  });

  // Where Node imitates one watch for a tree, as on Linux, it follows links, and newer releases stop at such a one.
  const isImitated = platform !== "linux" && process.platform === "linux";
  test.skipIf(isImitated)("B14: links that lead to themselves take nothing from it", async () => {
    const root = tempDir();
    symlinkSync("self", join(root, "self"));
    const watched = new Watched(root, { platform });
    symlinkSync("later", watched.path("later"));
    for (const name of ["a", "b", "c"]) {
      mkdirSync(watched.path(name));
      writeFileSync(watched.path(name, "s.jsonl"), "x");
      await watched.hears(name, "s.jsonl");
      await setImmediate();
    }
    expect(watched.watcher.degraded).toBeNull();
  });

  test("B14: sessions that are moved with the folder they are in, and linked to from there, have to be looked at", async () => {
    const agent = join(tempDir(), "agent");
    const root = join(agent, "sessions");
    mkdirSync(join(root, "p"), { recursive: true });
    const watched = new Watched(root, { platform });
    const { watches } = watched.watcher;
    watched.watcher.checkRoots();
    watched.forget();
    watched.watcher.checkRoots();
    expect(watched.unclear).toBe(0);
    renameSync(agent, `${agent}.away`);
    symlinkSync(`${agent}.away`, agent);
    watched.watcher.checkRoots();
    expect([watched.unclear > 0, watched.watcher.watches]).toEqual([true, watches]);
    writeFileSync(watched.path("p", "s.jsonl"), "x");
    await watched.hears("p", "s.jsonl");
  });

  test("hears of the last of quick appends, each time", async () => {
    const watched = new Watched(tempDir(), { platform });
    mkdirSync(watched.path("p"));
    const path = watched.path("p", "s.jsonl");
    writeFileSync(path, "");
    await watched.hears("p", "s.jsonl");
    for (let burst = 0; burst < 100; burst++) {
      watched.forget();
      for (let line = 0; line < 1 + (burst % 5); line++) appendFileSync(path, "line\n");
      await watched.hears("p", "s.jsonl");
    }
  });

  test("B16: waits for a root that is not there, and for one that comes back", async () => {
    const root = join(tempDir(), "later");
    const watched = new Watched(root, { platform });
    expect(watched.watcher.watches).toBe(0);
    mkdirSync(root);
    watched.watcher.checkRoots();
    expect(watched.unclear).toBeGreaterThan(0);
    writeFileSync(watched.path("a.jsonl"), "x");
    await watched.hears("a.jsonl");
    renameSync(root, `${root}-away`);
    watched.watcher.checkRoots();
    expect(watched.watcher.watches).toBe(0);
    cpSync(`${root}-away`, root, { recursive: true });
    watched.watcher.checkRoots();
    watched.forget();
    writeFileSync(watched.path("b.jsonl"), "x");
    await watched.hears("b.jsonl");
  });
});

test("a folder that is moved in is known with its files, and one that is moved away is forgotten", async () => {
  const elsewhere = tempDir();
  mkdirSync(join(elsewhere, "p", "q"), { recursive: true });
  writeFileSync(join(elsewhere, "p", "q", "s.jsonl"), "x");
  const watched = new Watched();
  renameSync(join(elsewhere, "p"), watched.path("p"));
  await watched.hears("p", "q", "s.jsonl");
  const before = watched.watcher.watches;
  watched.forget();
  renameSync(watched.path("p"), join(elsewhere, "p"));
  await pollUntil(() => watched.watcher.watches === before - 2, { what: "two watches less" });
  expect(watched.unclear).toBeGreaterThan(0);
});

test.each<[NodeJS.Platform, string]>([
  ["linux", "p"],
  ["linux", "p.json"],
  ["darwin", "p"],
  ["darwin", "p.json"],
])(
  "that a folder was moved in, or a link to one made, is told as something to look into (%s, %s)",
  async (platform, name) => {
    const elsewhere = tempDir();
    mkdirSync(join(elsewhere, name));
    writeFileSync(join(elsewhere, name, "s.jsonl"), "x");
    const watched = new Watched(tempDir(), { platform });
    watched.forget();
    symlinkSync(join(elsewhere, name), watched.path(`link-to-${name}`));
    await pollUntil(() => watched.unclear > 0, { what: "word of the link" });
    watched.forget();
    renameSync(join(elsewhere, name), watched.path(name));
    const isTold = () => watched.unclear > 0 || watched.hints.has(watched.path(name, "s.jsonl"));
    await pollUntil(isTold, { what: "word of the folder" });
  },
);

test("C4: a folder that is removed and made again is watched again", async () => {
  const watched = new Watched();
  for (let round = 0; round < 20; round++) {
    mkdirSync(watched.path("p", "q"), { recursive: true });
    rmSync(watched.path("p"), { recursive: true });
    mkdirSync(watched.path("p", "q"), { recursive: true });
    watched.watcher.refresh();
    watched.forget();
    writeFileSync(watched.path("p", "q", "s.jsonl"), "x");
    await watched.hears("p", "q", "s.jsonl");
    rmSync(watched.path("p"), { recursive: true });
  }
});

test("B14: a linked folder is watched under the name it is reached by, loops end", async () => {
  const elsewhere = tempDir();
  const watched = new Watched();
  symlinkSync(elsewhere, watched.path("link"));
  symlinkSync(watched.root, join(elsewhere, "loop"));
  watched.watcher.refresh();
  writeFileSync(join(elsewhere, "s.jsonl"), "x");
  await watched.hears("link", "s.jsonl");
  expect(watched.watcher.watches).toBe(3);
});

test("one watch a folder, however many files there are", () => {
  const root = tempDir();
  for (let folder = 0; folder < 20; folder++) {
    mkdirSync(join(root, `p${folder}`));
    for (let file = 0; file < 10; file++) writeFileSync(join(root, `p${folder}`, `${file}.jsonl`), "x");
  }
  for (let file = 0; file < 50; file++) writeFileSync(join(root, `${file}.jsonl`), "x");
  expect(new Watched(root).watcher.watches).toBe(21);
});

describe("chokidar, which reads all of a root again at each append to a file in it", () => {
  /** Its watchers that are not closed; what is called is chokidar itself. */
  function openOnes(): () => number {
    const watch = vi.spyOn(chokidar, "watch");
    onTestFinished(() => watch.mockRestore());
    return () =>
      watch.mock.results.filter(({ value }) => !(value instanceof FSWatcher && value.closed)).length;
  }

  test("watches a root that holds folders only", () => {
    const open = openOnes();
    const root = tempDir();
    mkdirSync(join(root, "p"));
    writeFileSync(join(root, "p", "s.jsonl"), "x");
    new Watched(root);
    expect(open()).toBe(1);
  });

  test.each(["s.jsonl", "s.json"])("does not watch a root in which %s lies", async (name) => {
    const open = openOnes();
    const root = tempDir();
    mkdirSync(join(root, "p"));
    writeFileSync(join(root, name), "x");
    const watched = new Watched(root);
    expect([open(), watched.watcher.watches, watched.watcher.hearsAll]).toEqual([0, 2, true]);
    mkdirSync(watched.path("new"));
    writeFileSync(watched.path("new", "a.jsonl"), "x");
    await watched.hears("new", "a.jsonl");
  });

  test("is let go of when the first session file comes to a root, and of that root only", async () => {
    const open = openOnes();
    const [root, other] = [tempDir(), tempDir()];
    mkdirSync(join(root, "p"));
    const watched = new Watched(root, { roots: [root, other] });
    writeFileSync(watched.path("p", "deep.jsonl"), "x");
    await watched.hears("p", "deep.jsonl");
    const before = [open(), watched.watcher.watches];
    writeFileSync(watched.path("s.jsonl"), "x");
    await watched.hears("s.jsonl");
    expect([before, [open(), watched.watcher.watches]]).toEqual([
      [2, 5],
      [1, 4],
    ]);
  });
});

describe("it hears all", () => {
  test("of roots that are there, as Linux tells it", () => {
    expect(new Watched().watcher.hearsAll).toBe(true);
    expect(new Watched(tempDir(), { platform: "darwin" }).watcher.hearsAll).toBe(false);
  });

  test("only while every root is there", () => {
    const [there, later] = [tempDir(), join(tempDir(), "later")];
    const { watcher } = new Watched(there, { roots: [there, later] });
    expect(watcher.hearsAll).toBe(false);
    mkdirSync(later);
    watcher.checkRoots();
    expect(watcher.hearsAll).toBe(true);
  });

  test.each<[string, (folder: string) => void]>([
    ["can be watched", (folder) => chmodSync(folder, 0o755)],
    ["is gone", (folder) => rmSync(folder, { recursive: true })],
  ])("not while it may not watch some folder, and again when that %s", (_what, mend) => {
    const root = tempDir();
    chmodSync(root, 0o755);
    mkdirSync(join(root, "closed"), { mode: 0 });
    const { watcher } = asNobody(() => new Watched(root));
    expect([watcher.hearsAll, watcher.degraded]).toEqual([false, null]);
    asNobody(() => watcher.refresh());
    expect(watcher.hearsAll).toBe(false);
    mend(join(root, "closed"));
    asNobody(() => watcher.refresh());
    expect(watcher.hearsAll).toBe(true);
  });

  test("not while folders it has watched cannot be looked at, and again when they are watched once more", async () => {
    const root = tempDir();
    chmodSync(root, 0o755);
    mkdirSync(join(root, "p", "deep", "deeper"), { recursive: true });
    const watched = asNobody(() => new Watched(root));
    const { watcher } = watched;
    const { watches } = watcher;
    chmodSync(watched.path("p"), 0);
    asNobody(() => watcher.refresh());
    expect([watcher.hearsAll, watcher.degraded]).toEqual([false, null]);
    chmodSync(watched.path("p"), 0o755);
    asNobody(() => watcher.refresh());
    expect([watcher.hearsAll, watcher.watches]).toEqual([true, watches]);
    writeFileSync(watched.path("p", "deep", "deeper", "s.jsonl"), "x");
    await watched.hears("p", "deep", "deeper", "s.jsonl");
  });

  test.each([
    ["listed", 0],
    ["entered", 0o444],
  ])(
    "not while a folder in which something has come cannot be %s, and then of that too",
    async (_how, mode) => {
      const root = tempDir();
      chmodSync(root, 0o755);
      mkdirSync(join(root, "p"));
      const watched = asNobody(() => new Watched(root));
      const { watcher } = watched;
      mkdirSync(watched.path("p", "new"));
      chmodSync(watched.path("p"), mode);
      asNobody(() => watcher.refresh());
      expect(watcher.hearsAll).toBe(false);
      chmodSync(watched.path("p"), 0o755);
      asNobody(() => watcher.refresh());
      expect(watcher.hearsAll).toBe(true);
      writeFileSync(watched.path("p", "new", "s.jsonl"), "x");
      await watched.hears("p", "new", "s.jsonl");
    },
  );
});

test("what is watched below the root of the file system is forgotten with it", () => {
  const folder = tempDir();
  const isExcluded = (path: string) => !isWithin(path, folder);
  const watches = new FolderWatches({ onChange: () => undefined, onUnclear: () => undefined }, isExcluded);
  onTestFinished(() => watches.close());
  const top = parse(folder).root;
  watches.arm(top, { announce: false });
  expect(watches.watches(folder)).toBe(true);
  watches.disarm(top);
  expect(watches.size).toBe(0);
});

test("C12: what chokidar finds out after it was let go of ends nothing", () => {
  const watch = vi.spyOn(chokidar, "watch");
  onTestFinished(() => watch.mockRestore());
  const root = join(tempDir(), "sessions");
  mkdirSync(root);
  const { watcher } = new Watched(root);
  renameSync(root, `${root}-away`);
  watcher.checkRoots();
  const error = Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
  expect(watch.mock.results.map(({ value }) => value.emit("error", error))).toEqual([true]);
});

test("what chokidar was just reading keeps no process alive once it is let go of", () => {
  const root = tempDir();
  for (let folder = 0; folder < 100; folder++) mkdirSync(join(root, String(folder)));
  const { stdout } = spawnSync(process.execPath, [WATCHER_CLOSED, root], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  expect(JSON.parse(stdout)).toEqual([]);
});

test("what is excluded is not watched, by the name it is reached by or by its own", () => {
  const root = tempDir();
  for (const name of ["kept", "secret"]) mkdirSync(join(root, name));
  const elsewhere = join(tempDir(), "secret-too");
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(root, "link"));
  const { watcher } = new Watched(root, { isExcluded: (path) => path.includes("secret") });
  // The root, twice, and the folder that is kept.
  expect(watcher.watches).toBe(3);
});
