import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What git writes beside a work tree; with the URL of a remote. Returns the work tree. */
export function repository(top: string, url?: string): string {
  mkdirSync(join(top, ".git"), { recursive: true });
  const remote =
    url === undefined
      ? ""
      : `[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  writeFileSync(
    join(top, ".git", "config"),
    `[core]\n\tbare = false\n${remote}[branch "main"]\n\tremote = origin\n`,
  );
  return top;
}

/** What `git worktree add` makes of a repository. Returns the new work tree. */
export function linkedWorktree(main: string, top: string): string {
  const folder = join(main, ".git", "worktrees", "linked");
  mkdirSync(folder, { recursive: true });
  mkdirSync(top, { recursive: true });
  writeFileSync(join(folder, "commondir"), "../..\n");
  writeFileSync(join(folder, "gitdir"), `${join(top, ".git")}\n`);
  writeFileSync(join(top, ".git"), `gitdir: ${folder}\n`);
  return top;
}
