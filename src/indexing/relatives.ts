import { basename, dirname, join, sep } from "node:path";
import { beyond, familyFolder, familyOwner, insideOf } from "../files/session-path.ts";
import { sessionIdInName } from "../format/subagents.ts";
import type { Database } from "../store/native.ts";
import { compareRanks } from "../store/tables/usage-rows.ts";
import { type FamilyQuery, type Member, prepareAll, type Run, type Statements } from "./family-rows.ts";

/*
 * Finds who belongs to whom, in the index as it stands: parents by the folder that a session lies in, children by the paths
 * that results name, and the files whose results may state what a session has spent.
 */

/** Folders above a session file in which the one of its parent is looked for. */
const MOST_ABOVE = 12;

/** Looks relatives up. */
export class Relatives {
  readonly #statements: Statements;
  /** Sessions to which folders may belong: nearly all sessions of a project lie in one folder. */
  readonly #owners = new Map<string, number[]>();
  #underForks: { fileId: number; path: string }[] | null = null;

  constructor(database: Database) {
    this.#statements = prepareAll(database);
  }

  /** Forgets which folders belong to whom. To be called whenever files may have come, gone or moved. */
  reset(): void {
    this.#owners.clear();
    this.#underForks = null;
  }

  memberOf(fileId: number): Member | null {
    return (this.#statements.member.get(fileId) as Member | undefined) ?? null;
  }

  /** The runs of a file that name their sessions. */
  runsOf(fileId: number): Run[] {
    return this.#statements.runs.all(fileId) as Run[];
  }

  /** The session at a path; null where the index has none. */
  at(path: string): number | null {
    return this.#idOf("atPath", { path });
  }

  /** The run that tells of a session, the one in the oldest file. */
  toldBy(fileId: number): { fileId: number; agent: string | null } | undefined {
    return this.#statements.toldBy.get(fileId) as { fileId: number; agent: string | null } | undefined;
  }

  childrenOf(fileId: number): number[] {
    return this.#idsOf("children", fileId);
  }

  /** Files whose runs may be those of a session. */
  tellersOf(member: Member): number[] {
    return this.#idsOf("telling", { ...member });
  }

  /** Sessions whose place in their family may depend on a session that has come, or lies elsewhere now. */
  relatedTo({ path, realPath, sessionId, parentPath, copied }: Member): number[] {
    const folders = [familyFolder(path)];
    // Where its parent is gone, a fork stands in for it.
    if (copied && parentPath !== null) folders.push(familyFolder(parentPath));
    const id = copied ? sessionIdInName(parentPath) : null;
    return [
      ...folders.flatMap((folder) => this.#idsOf("below", insideOf(folder), beyond(folder))),
      ...(id === null ? [] : this.#idsOf("inFolderOf", `_${id}${sep}`)),
      // Of copies of a session the one that sorts first has its folder.
      ...this.#idsOf("copies", sessionId).flatMap((id) => this.childrenOf(id)),
      ...this.#idsOf("naming", path, realPath),
      ...this.#idsOf("orphans", `_${sessionId}${sep}`),
      ...this.#underForksOf(sessionId),
    ];
  }

  /** Sub-agents of a session that is gone, which a copy of it takes back from the fork that stands in for it. */
  #underForksOf(sessionId: string): number[] {
    this.#underForks ??= this.#statements.underForks.all() as { fileId: number; path: string }[];
    const own = this.#underForks.filter(({ path }) => path.includes(`_${sessionId}${sep}`));
    return own.map(({ fileId }) => fileId);
  }

  /** The session of a run; null for that of an older session which the teller itself works for. */
  childOf(run: Run, teller: Member): number | null {
    const child = this.#named(run, teller);
    const member = child === null ? null : this.memberOf(child);
    if (member === null || member.fileId === teller.fileId) return null;
    const isOlder = compareRanks({ ...member, entryKey: 0 }, { ...teller, entryKey: 0 }) < 0;
    return isOlder && this.#worksFor(teller, member.fileId) ? null : member.fileId;
  }

  /** Where it is said to be, else in the family's folder, wherever that lies now, else by its id. */
  #named({ sessionFile }: Run, teller: Member): number | null {
    const stated = this.at(sessionFile);
    const found = stated ?? this.#inFamilyFolder(sessionFile, teller);
    const id = sessionIdInName(sessionFile);
    return found ?? (id === null ? null : this.#idOf("ofSessionId", id, teller.fileId));
  }

  /** Whether a session lies in the folder of another one, or is told of by it, or by one for which that holds. */
  #worksFor({ fileId }: Member, boss: number): boolean {
    const above = new Set([fileId]);
    for (const id of above) {
      const member = this.memberOf(id);
      const parent = member && this.parentByPlace(member);
      if (parent !== null) above.add(parent);
      if (member !== null)
        for (const teller of this.#idsOf("earlierTellersOf", { ...member })) above.add(teller);
    }
    return above.has(boss);
  }

  /** A session, those of the runs that it tells of, and of those that these tell of. */
  toldBelow(fileId: number): number[] {
    return this.#idsOf("toldBelow", fileId);
  }

  #inFamilyFolder(sessionFile: string, { path, sessionId }: Member): number | null {
    const folders = sessionFile.split(/[\\/]/);
    const at = folders.findIndex(
      (name) => name === familyFolder(path).split(/[\\/]/).at(-1) || name.endsWith(`_${sessionId}`),
    );
    const below = folders.slice(at + 1);
    if (at < 0 || below.length === 0) return null;
    return this.#idOf("atPath", { path: join(familyFolder(path), ...below) });
  }

  /** The nearest session in whose folder a session lies; where that is gone another copy or a fork of it. */
  parentByPlace({ fileId, path }: Pick<Member, "fileId" | "path">): number | null {
    let folder = dirname(path);
    for (let above = 0; above < MOST_ABOVE && dirname(folder) !== folder; above++, folder = dirname(folder)) {
      const owners = this.#owners.get(folder) ?? this.#ownersOf(folder);
      this.#owners.set(folder, owners);
      const found = owners.find((id) => id !== fileId);
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Sessions to which a folder may belong by its name, the likeliest first. */
  #ownersOf(folder: string): number[] {
    const path = familyOwner(folder);
    if (path === null) return [];
    const id = sessionIdInName(path);
    // What counts of its results counts in another copy of it, and in a fork only where there is none.
    const copies = id === null ? [] : this.#idsOf("ofSessionId", id, 0);
    const owners = [...this.#idsOf("atPath", { path }), ...copies, ...this.#idsOf("forkOf", path)];
    // All names of parents are gone through, which is not worth it where one is known.
    if (owners.length > 0 || id === null) return owners;
    return this.#idsOf("forkOfName", { name: sep + basename(path) });
  }

  /** The session of a person that a sub-agent works for; the uppermost one there is where parents are gone, or go round. */
  rootOf(fileId: number, parentFileId: number | null): number {
    let [root, next] = [fileId, parentFileId];
    for (const seen = new Set([fileId]); next !== null && !seen.has(next); ) {
      const member = this.memberOf(next);
      if (member === null) break;
      seen.add(next);
      root = next;
      next = member.origin === "subagent" ? member.parentFileId : null;
    }
    return root;
  }

  /** Files with results that may state what is spent in a session. */
  paying(fileId: number): number[] {
    const member = this.memberOf(fileId);
    const paying = this.#idsOf("tellersOf", { fileId });
    if (member?.origin === "subagent") paying.push(...this.copiesOf(member.parentFileId));
    if (member?.copied && member.parentPath !== null) paying.push(...this.#payingAt(member.parentPath));
    return paying.filter((id) => id !== fileId);
  }

  /** A session and its copies, which have its results, but not its folder. */
  copiesOf(fileId: number | null): number[] {
    const member = fileId === null ? null : this.memberOf(fileId);
    return member === null ? [] : this.#idsOf("copies", member.sessionId);
  }

  /** Files with results that may state what was spent in a session that is gone, and of which there are forks. */
  #payingAt(path: string): number[] {
    if (this.#idOf("atPath", { path }) !== null) return [];
    const above = this.parentByPlace({ fileId: 0, path });
    const telling = this.#idsOf("tellingAt", path);
    return above === null ? telling : [above, ...telling];
  }

  #idOf(query: FamilyQuery, ...values: unknown[]): number | null {
    return (this.#statements[query].get(...values) as number | undefined) ?? null;
  }

  #idsOf(query: FamilyQuery, ...values: unknown[]): number[] {
    return this.#statements[query].all(...values) as number[];
  }
}
