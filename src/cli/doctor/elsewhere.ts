import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { formerSessionsRoot, ownSessionDirOf } from "../../config/pi.ts";
import { unlessUnreadable } from "../../errors.ts";
import type { Finding } from "../../reports/finding.ts";
import { plural } from "../../text/numbers.ts";
import { shellWord } from "../output/shell.ts";

/*
 * Sessions that no answer has, because they lie where nobody looks: in the folder that pi had before its settings named another,
 * and in those that projects have for themselves (`sessionDir` in their `.pi/settings.json`).
 */

export function checkFormerRoot({ agentDir, roots }: Config): Finding[] {
  const former = formerSessionsRoot(agentDir, roots);
  const count = former === null ? 0 : countSessionFiles(former);
  if (former === null || count === 0) return [];
  const folders = [...roots, former].map((root) => `--sessions-dir ${shellWord(root)}`).join(" ");
  return [
    {
      level: "warning",
      what: `${plural(count, "session file")} ${count === 1 ? "is" : "are"} left in a folder that pi's settings no longer point to`,
      where: former,
      remedy: `To see all of them: sessiondb ${folders}; for good, name these folders in sessionsDirs of the configuration`,
    },
  ];
}

/** @param cwds in which sessions were held */
export function checkOwnFolders(cwds: readonly string[], { roots }: Config): Finding[] {
  return cwds.flatMap((cwd): Finding[] => {
    const folder = ownSessionDirOf(cwd, roots);
    if (folder === null) return [];
    return [
      {
        level: "warning",
        what: `the sessions of a project lie in a folder of its own, ${folder}, and are not indexed`,
        where: join(cwd, ".pi", "settings.json"),
        remedy: "Name that folder, too, in sessionsDirs of the configuration, or with --sessions-dir",
      },
    ];
  });
}

/** In the folder, and in those of its projects. */
function countSessionFiles(folder: string): number {
  const isSession = (entry: Dirent): boolean => entry.isFile() && entry.name.endsWith(".jsonl");
  const inside = (path: string): Dirent[] =>
    unlessUnreadable(() => readdirSync(path, { withFileTypes: true })) ?? [];
  const entries = inside(folder);
  const below = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => inside(join(folder, name)));
  return [...entries, ...below].filter(isSession).length;
}
