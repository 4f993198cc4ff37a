import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Watcher } from "../../../daemon/components/watcher.ts";
import { isWithin, NOTHING_EXCLUDED } from "../../../src/files/session-path.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** What was looked at: where a file system does not answer each of these would hang. */
const looked = vi.hoisted((): string[] => []);

vi.mock("node:fs", async (importActual) => {
  const fs = await importActual<typeof import("node:fs")>();
  const noting =
    <Args extends unknown[], T>(look: (...args: Args) => T) =>
    (...args: Args): T => {
      looked.push(String(args[0]));
      return look(...args);
    };
  return {
    ...fs,
    statSync: noting(fs.statSync),
    lstatSync: noting(fs.lstatSync),
    readdirSync: noting(fs.readdirSync),
    realpathSync: Object.assign(noting(fs.realpathSync), { native: noting(fs.realpathSync.native) }),
  };
});

test("B18: roots whose file system has come to hang are let go of without a look at them, until it answers", () => {
  const roots = [tempDir(), tempDir(), tempDir()];
  const [there = ""] = roots;
  for (const root of roots) mkdirSync(join(root, "p"));
  const silent = new Set<string>();
  let unclear = 0;
  const watcher = new Watcher(
    { roots, isExcluded: NOTHING_EXCLUDED, platform: "linux", mayWatch: (root) => !silent.has(root) },
    { onChange: () => undefined, onUnclear: () => void unclear++ },
  );
  onTestFinished(() => watcher.close());
  watcher.checkRoots();
  const { watches } = watcher;
  for (const root of roots.slice(1)) silent.add(root);
  [looked.length, unclear] = [0, 0];
  watcher.checkRoots();
  watcher.refresh();
  expect(looked.filter((path) => !isWithin(there, path))).toEqual([]);
  expect([watcher.watches, watcher.hearsAll, unclear > 0]).toEqual([watches / 3, false, true]);
  silent.clear();
  watcher.checkRoots();
  expect([watcher.watches, watcher.hearsAll]).toEqual([watches, true]);
});
