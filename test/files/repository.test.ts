import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { placeOf } from "../../src/files/repository.ts";
import { linkedWorktree, repository } from "../helpers/repositories.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const folder = (): string => realpathSync(tempDir());
const URL = "git@example.org:ada/orchard.git";
const REMOTE = "example.org/ada/orchard";

describe("where a directory lies", () => {
  test("is where it is, without links, outside of repositories", () => {
    const dir = folder();
    mkdirSync(join(dir, "here"));
    symlinkSync("here", join(dir, "link"));
    const path = join(dir, "here");
    expect(placeOf(join(dir, "link"))).toEqual({ path, remote: null, inside: "" });
  });

  test("is told below the top of a work tree", () => {
    const top = repository(join(folder(), "orchard"), URL);
    const below = join(top, "trees", "pear");
    mkdirSync(below, { recursive: true });
    expect(placeOf(below)).toEqual({ path: below, remote: REMOTE, inside: join("trees", "pear") });
  });

  test("is in the main work tree for a linked one", () => {
    const dir = folder();
    const main = repository(join(dir, "orchard"), URL);
    const linked = linkedWorktree(main, join(dir, "feature"));
    mkdirSync(join(linked, "trees"));
    expect(placeOf(linked)).toEqual({ path: main, remote: REMOTE, inside: "" });
    expect(placeOf(join(linked, "trees"))).toEqual({
      path: join(main, "trees"),
      remote: REMOTE,
      inside: "trees",
    });
  });

  test("of a submodule is its own", () => {
    const main = repository(join(folder(), "orchard"), URL);
    const module = join(main, ".git", "modules", "soil");
    const top = join(main, "soil");
    for (const each of [module, top]) mkdirSync(each, { recursive: true });
    writeFileSync(join(module, "config"), '[remote "origin"]\n\turl = https://example.org/ada/soil\n');
    writeFileSync(join(top, ".git"), "gitdir: ../.git/modules/soil\n");
    expect(placeOf(top)).toEqual({ path: top, remote: "example.org/ada/soil", inside: "" });
  });

  test("is where it is where git's files make no sense", () => {
    const dir = folder();
    writeFileSync(join(dir, ".git"), "not a repository");
    expect(placeOf(dir)).toEqual({ path: dir, remote: null, inside: "" });
  });

  test.skipIf(spawnSync("git", ["--version"]).status !== 0)("is as git itself has written it", () => {
    const dir = folder();
    const git = (...args: string[]): void => {
      const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
      const { status, stderr } = spawnSync("git", [...author, ...args], { cwd: dir, encoding: "utf8" });
      expect(stderr, args.join(" ")).toSatisfy(() => status === 0);
    };
    git("init", "-q", "orchard");
    git("-C", "orchard", "remote", "add", "origin", URL);
    git("-C", "orchard", "commit", "-q", "--allow-empty", "-m", "first");
    git("-C", "orchard", "worktree", "add", "-q", "../feature");
    expect(placeOf(join(dir, "feature"))).toEqual({ path: join(dir, "orchard"), remote: REMOTE, inside: "" });
    git("clone", "-q", "--bare", "orchard", "store.git");
    git("-C", "store.git", "worktree", "add", "-q", "../of-bare");
    expect(placeOf(join(dir, "of-bare"))).toMatchObject({ path: join(dir, "store.git") });
  });
});

test.each([
  ["https://example.org/ada/orchard.git", REMOTE],
  ["https://ada:secret@Example.org:8443/ada/orchard", REMOTE],
  ["ssh://git@example.org:22/ada/orchard.git/", REMOTE],
  ["example.org:ada/orchard", REMOTE],
  ["git@example.org:/ada/orchard.git", REMOTE],
  ["/srv/git/orchard.git", "/srv/git/orchard"],
  ["../orchard.git", "../orchard"],
])("the remote %s is called %s", (url, name) => {
  expect(placeOf(repository(join(folder(), "orchard"), url)).remote).toBe(name);
});
