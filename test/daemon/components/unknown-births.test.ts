import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Watcher } from "../../../daemon/components/watcher.ts";
import { NOTHING_EXCLUDED } from "../../../src/files/session-path.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

let looks = 0;

/** As where there is no `statx`: what is told for the time of birth is the time of the last change. All inodes are one. */
vi.mock("node:fs", async (importActual) => {
  const fs = await importActual<typeof import("node:fs")>();
  const statSync = (path: string) => {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    return stats && Object.assign(stats, { ino: 1, ctimeMs: ++looks, birthtimeMs: looks });
  };
  return { ...fs, statSync };
});

function watching(root: string) {
  const heard = { hints: new Set<string>(), unclear: 0 };
  const watcher = new Watcher(
    { roots: [root], isExcluded: NOTHING_EXCLUDED, platform: "linux" },
    { onChange: (path) => void heard.hints.add(path), onUnclear: () => void heard.unclear++ },
  );
  onTestFinished(() => watcher.close());
  watcher.checkRoots();
  return { watcher, heard };
}

test("a root that has changed is still the same one", () => {
  const root = tempDir();
  mkdirSync(join(root, "p"));
  const { watcher, heard } = watching(root);
  const { unclear } = heard;
  watcher.checkRoots();
  watcher.refresh();
  expect(heard.unclear).toBe(unclear);
});

test.runIf(process.platform === "linux").each(["p", "p.json"])(
  "C4: a folder that is removed and made again is watched again (%s)",
  async (name) => {
    const root = tempDir();
    const folder = join(root, name);
    mkdirSync(folder);
    const { heard } = watching(root);
    for (const file of ["a.jsonl", "b.jsonl", "c.jsonl"]) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      writeFileSync(join(folder, file), "x");
      await pollUntil(() => heard.hints.has(join(folder, file)), {
        what: `a hint at ${file}`,
      });
    }
  },
);
