import { mkdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { identifyProjects } from "../../src/api/projects.ts";
import type { Aliases } from "../../src/projects/due.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { openIndex } from "../../src/store/open.ts";
import { linkedWorktree, repository } from "../helpers/repositories.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";

const URL = "https://example.org/ada/orchard.git";
const DAY_MS = 24 * 60 * 60 * 1000;

let dir = "";
let store: Store;

beforeEach(() => {
  dir = realpathSync(tempDir());
  store = new Store();
});

const at = (name: string): string => join(dir, name);

/** Sessions of one dollar each, the last of them the last active. */
function heldIn(...cwds: string[]): void {
  for (const cwd of cwds) {
    const count = store.rows("SELECT count(*) FROM sessions")[0]?.[0];
    session({ id: `s${count}`, cwd, timestamp: `2026-11-0${Number(count) + 1}T10:00:00.000Z` })
      .user("hi")
      .assistant({ usage: { totalTokens: 1, input: 1, cost: { total: 1 } } })
      .write(store.path(`${count}.jsonl`));
    store.sync();
  }
}

async function projects(aliases: Aliases = {}, now = Date.now()): Promise<Record<string, string>> {
  await identifyProjects(store.index.database, { aliases, now });
  return Object.fromEntries(store.rows("SELECT cwd, project FROM projects"));
}

function costs(): Record<string, number> {
  const { rows, totals } = sumUsage(store.index, { by: "project", timezone: "UTC" });
  expect(rows.reduce((sum, { cost }) => sum + cost, 0)).toBe(totals.cost);
  return Object.fromEntries(rows.map(({ key, cost }) => [key, cost]));
}

describe("a project", () => {
  test("is the working directory of its sessions until somebody has looked", async () => {
    heldIn("/one", "/two", "/two");
    expect(costs()).toEqual({ "/one": 1, "/two": 2 });
  });

  test("is one for all worktrees of a repository, by directories within it", async () => {
    const main = repository(at("orchard"));
    const linked = linkedWorktree(main, at("feature"));
    mkdirSync(join(linked, "trees"));
    heldIn(main, linked, join(linked, "trees"));
    await projects();
    expect(costs()).toEqual({ [main]: 2, [join(main, "trees")]: 1 });
  });

  test("is one for clones of one remote, and stays where it was as long as that is there", async () => {
    const [first, second] = [repository(at("first"), URL), repository(at("second"), `${URL}/`)];
    heldIn(first);
    await projects();
    heldIn(second);
    expect(await projects()).toEqual({ [first]: first, [second]: first });
    rmSync(first, { recursive: true });
    mkdirSync(join(second, "trees"));
    heldIn(join(second, "trees"));
    expect(await projects()).toEqual({
      [first]: second,
      [second]: second,
      [join(second, "trees")]: join(second, "trees"),
    });
  });

  test("goes along when its folder is moved, by the remote that was seen", async () => {
    const old = repository(at("old"), URL);
    mkdirSync(join(old, "trees"));
    heldIn(old, join(old, "trees"));
    await projects();
    renameSync(old, at("new"));
    heldIn(at("new"));
    expect(await projects()).toMatchObject({ [old]: at("new"), [join(old, "trees")]: at("new/trees") });
    expect(costs()).toEqual({ [at("new")]: 2, [at("new/trees")]: 1 });
  });

  test("is what an alias says, which may be taken back", async () => {
    const main = repository(at("orchard"), URL);
    heldIn("/old/orchard/trees", "/tmp/orchard-1", main, "/old/orchards");
    const aliases = { "/old/orchard": main, "/tmp/orchard-*": "/old/orchard" };
    expect(await projects(aliases)).toEqual({
      [main]: main,
      "/old/orchard/trees": join(main, "trees"),
      "/tmp/orchard-1": main,
      "/old/orchards": "/old/orchards",
    });
    expect(await projects()).toMatchObject({
      "/old/orchard/trees": "/old/orchard/trees",
      "/tmp/orchard-1": "/tmp/orchard-1",
    });
  });

  test("ends where aliases lead in a circle", async () => {
    heldIn("/a", "/b");
    expect(Object.keys(await projects({ "/a": "/b", "/b": "/a" }))).toEqual(["/a", "/b"]);
  });

  test("that is worked in is looked at once a day: it may have got a remote", async () => {
    const [first, second] = [at("first"), repository(at("second"), URL)];
    mkdirSync(first);
    heldIn(first, second);
    const now = Date.parse("2026-11-01T12:00:00Z");
    expect(await projects({}, now)).toEqual({ [first]: first, [second]: second });
    repository(first, URL);
    expect((await projects({}, now + DAY_MS / 2))[first]).toBe(first);
    expect((await projects({}, now + DAY_MS + 1))[first]).toBe(second);
  });

  test("is forgotten with the last session that was held there", async () => {
    const [first, second] = [repository(at("first"), URL), repository(at("second"), URL)];
    heldIn(first, second);
    await projects();
    rmSync(store.path("0.jsonl"));
    store.sync();
    expect(await projects()).toEqual({ [second]: second });
  });

  test("is not written where another process writes; the next question does it", async () => {
    heldIn("/one");
    const other = openIndex(store.index.location);
    other.database.exec("BEGIN IMMEDIATE");
    store.index.database.pragma("busy_timeout = 0");
    expect(await projects()).toEqual({});
    other.database.exec("ROLLBACK");
    other.close();
    expect(await projects()).toEqual({ "/one": "/one" });
  });
});
