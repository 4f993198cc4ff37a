import { lstatSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { unlessUnreadable } from "../errors.ts";
import { textIfThere } from "./json-file.ts";
import { realPathOrNull } from "./paths.ts";

/*
 * What git's files say of a directory. They are read, and git is not run: a program that is started in thousands of directories
 * takes seconds, and git runs what a repository's configuration names. The format is that of gitrepository-layout(5),
 * git-worktree(1) and git-config(1); files that a configuration includes are not looked at.
 */

/** Where a directory lies. */
export interface DirectoryPlace {
  /** Without symbolic links; within a linked worktree, the same directory of the repository's main one. */
  path: string;
  /** The remote of the repository, as `host/owner/name`; null where there is none. */
  remote: string | null;
  /** From the top of the work tree; empty at the top, and outside of all work trees. */
  inside: string;
}

/** Folders that a directory may lie in, at most. */
const DEEPEST = 64;

/** Where a directory lies that is there; a repository that cannot be read is none. */
export function placeOf(directory: string): DirectoryPlace {
  const real = realPathOrNull(directory) ?? directory;
  for (let top = real, depth = 0; depth < DEEPEST; depth++) {
    const repository = unlessUnreadable(() => repositoryAt(top));
    if (repository) {
      const inside = relative(top, real);
      return { path: join(repository.main, inside), remote: remoteIn(repository.config), inside };
    }
    const parent = dirname(top);
    if (parent === top) break;
    top = parent;
  }
  return { path: real, remote: null, inside: "" };
}

interface Repository {
  /** The top of its main work tree; of a bare repository its own folder. */
  main: string;
  /** What its configuration says. */
  config: string;
}

function repositoryAt(top: string): Repository | undefined {
  const git = join(top, ".git");
  const stats = lstatSync(git, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { main: top, config: textIfThere(join(git, "config")) };
  if (!stats?.isFile()) return undefined;
  const [, written] = /^gitdir: (.+)/.exec(textIfThere(git)) ?? [];
  if (written === undefined) return undefined;
  const folder = resolve(top, written.trimEnd());
  const common = textIfThere(join(folder, "commondir")).trimEnd();
  // Without it, the repository is a submodule, or lies elsewhere: it is its own.
  if (common === "") return { main: top, config: textIfThere(join(folder, "config")) };
  const shared = resolve(folder, common);
  const main = basename(shared) === ".git" ? dirname(shared) : shared;
  return { main: realPathOrNull(main) ?? main, config: textIfThere(join(shared, "config")) };
}

/** The remote called `origin`, else the first one. */
function remoteIn(config: string): string | null {
  const urls = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.split("\n")) {
    const [header, section, name] = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]/.exec(line) ?? [];
    if (header !== undefined) remote = section?.toLowerCase() === "remote" ? name : undefined;
    const [, url] = /^\s*url\s*=\s*(\S+)/i.exec(line) ?? [];
    if (remote !== undefined && url !== undefined && !urls.has(remote)) urls.set(remote, url);
  }
  const [first] = urls.values();
  const url = urls.get("origin") ?? first;
  return url === undefined ? null : nameOfRemote(url);
}

/**
 * `git@host:owner/name.git`, `ssh://git@host:22/owner/name` and `https://user:token@host/owner/name.git` are one: who asks,
 * with which token and by which protocol is left out, and so never stored.
 */
function nameOfRemote(url: string): string {
  const [, host, path] =
    /^[a-z][a-z\d+.-]*:\/\/(?:[^/]*@)?([^/]*?)(?::\d+)?\/+(.*)$/i.exec(url) ??
    /^(?:[^/@]+@)?([^/:]{2,}):\/*(.*)$/.exec(url) ??
    [];
  const named = host === undefined || path === undefined ? url : `${host.toLowerCase()}/${path}`;
  return named.replace(/\/+$/, "").replace(/\.git$/i, "");
}
