import { basename, dirname, join } from "node:path";
import { agentInName, familyFolder, familyOwner, isSubagentPath } from "../../files/session-path.ts";
import { sessionIdInName } from "../../format/subagents.ts";
import { groupedBy } from "../../runtime/collections.ts";
import type { Database } from "../../store/native.ts";
import { compareRanks } from "../../store/tables/usage-rows.ts";
import {
  type CheckedMember,
  type Family,
  type FamilyDifference,
  FamilyMoney,
  type FamilyPlace,
  type ToldRun,
} from "./family-money.ts";

/*
 * Families and what counts of the results of sub-agents, decided once more from the rows of all sessions, in the simplest
 * way: all sessions at once, by maps.
 */

const MEMBERS = `SELECT s.file_id AS fileId, f.path, f.real_path AS realPath, s.session_id AS sessionId,
    s.created_at AS createdAt, s.parent_path AS parentPath, s.copied, s.parent_file_id AS parentFileId,
    s.root_file_id AS rootFileId, s.origin, s.agent FROM sessions s JOIN files f ON f.id = s.file_id`;

const RUNS = `SELECT entry_key AS entryKey, run, file_id AS fileId, agent, session_file AS sessionFile,
  session_id AS sessionId, child_file_id AS childFileId FROM subagents ORDER BY entry_key, run`;

/** Decides for all sessions of an index; tells what is otherwise in it. */
export class FamilyCheck implements Family {
  readonly #database: Database;
  readonly #members: CheckedMember[];
  readonly #byId: Map<number, CheckedMember>;
  readonly #byPath = new Map<string, CheckedMember>();
  /** The first fork of what was at a path. */
  readonly #forks = new Map<string, CheckedMember>();
  /** By the name of what it was forked from, wherever that lay. */
  readonly #forksByName = new Map<string, CheckedMember>();
  readonly #bySessionId: Map<string, CheckedMember[]>;
  readonly #runs: ToldRun[];
  readonly #runsByFile: Map<number, ToldRun[]>;
  readonly #children = new Map<ToldRun, CheckedMember | null>();
  readonly #places = new Map<CheckedMember, FamilyPlace>();
  readonly #differences: FamilyDifference[] = [];

  constructor(database: Database) {
    this.#database = database;
    const members = database.prepare(MEMBERS).all() as CheckedMember[];
    this.#members = members.sort((a, b) => compareRanks({ ...a, entryKey: 0 }, { ...b, entryKey: 0 }));
    this.#byId = new Map(this.#members.map((member) => [member.fileId, member]));
    for (const member of this.#members) this.#byPath.set(member.realPath, member);
    for (const member of this.#members) this.#byPath.set(member.path, member);
    this.#bySessionId = groupedBy(this.#members, ({ sessionId }) => sessionId);
    for (const member of this.#members.toReversed()) {
      if (member.copied !== 1 || member.parentPath === null) continue;
      this.#forks.set(member.parentPath, member);
      if (sessionIdInName(member.parentPath) !== null)
        this.#forksByName.set(basename(member.parentPath), member);
    }
    this.#runs = database.prepare(RUNS).all() as ToldRun[];
    this.#runsByFile = groupedBy(this.#runs, ({ fileId }) => fileId);
  }

  get members(): readonly CheckedMember[] {
    return this.#members;
  }

  get runs(): readonly ToldRun[] {
    return this.#runs;
  }

  byId(fileId: number): CheckedMember | undefined {
    return this.#byId.get(fileId);
  }

  withSessionId(sessionId: string): readonly CheckedMember[] {
    return this.#bySessionId.get(sessionId) ?? [];
  }

  runsOf({ fileId }: CheckedMember): readonly ToldRun[] {
    return this.#runsByFile.get(fileId) ?? [];
  }

  childOf(run: ToldRun): CheckedMember | null {
    return this.#children.get(run) ?? null;
  }

  placeOf(member: CheckedMember): FamilyPlace | undefined {
    return this.#places.get(member);
  }

  run(): FamilyDifference[] {
    const rank = new Map(this.#members.map((member, at) => [member.fileId, at]));
    for (const run of this.#runs) this.#children.set(run, this.#findChild(run));
    this.#leaveOutBosses(rank);
    const told = new Map<CheckedMember, { teller: CheckedMember; run: ToldRun }>();
    const inOrder = [...this.#runs].sort((a, b) => (rank.get(a.fileId) ?? 0) - (rank.get(b.fileId) ?? 0));
    for (const run of inOrder) {
      const [child, teller] = [this.#children.get(run), this.#byId.get(run.fileId)];
      if (child && teller && child !== teller && !told.has(child)) told.set(child, { teller, run });
    }
    for (const member of this.#members) this.#places.set(member, this.#decide(member, told.get(member)));
    for (const member of this.#members) this.#compare(member);
    for (const run of this.#runs) this.#compareRun(run);
    return [...this.#differences, ...new FamilyMoney(this.#database, this).check()];
  }

  #findChild({ sessionFile, sessionId, fileId }: ToldRun): CheckedMember | null {
    const teller = this.#byId.get(fileId);
    if (sessionFile === null || teller === undefined) return null;
    const folders = sessionFile.split(/[\\/]/);
    const own = familyFolder(teller.path).split(/[\\/]/).at(-1);
    const at = folders.findIndex((name) => name === own || name.endsWith(`_${teller.sessionId}`));
    const moved =
      at < 0 || at + 1 === folders.length ? null : join(familyFolder(teller.path), ...folders.slice(at + 1));
    const named = sessionId === null ? [] : (this.#bySessionId.get(sessionId) ?? []);
    const found =
      this.#byPath.get(sessionFile) ??
      (moved === null ? undefined : this.#byPath.get(moved)) ??
      named.find((each) => each !== teller);
    return found === undefined || found === teller ? null : found;
  }

  /** Of runs that name an older session for which theirs works. */
  #leaveOutBosses(rank: ReadonlyMap<number, number>): void {
    const tellers = new Map<CheckedMember, CheckedMember[]>();
    const upwards: [ToldRun, CheckedMember, CheckedMember][] = [];
    for (const [run, child] of this.#children) {
      const teller = this.#byId.get(run.fileId);
      if (!child || !teller) continue;
      const isEarlier = (rank.get(teller.fileId) ?? 0) < (rank.get(child.fileId) ?? 0);
      if (isEarlier) tellers.set(child, [...(tellers.get(child) ?? []), teller]);
      else upwards.push([run, teller, child]);
    }
    for (const [run, teller, child] of upwards) {
      const above = new Set([teller]);
      for (const each of above) {
        for (const one of [this.above(each), ...(tellers.get(each) ?? [])]) if (one) above.add(one);
      }
      if (above.has(child)) this.#children.set(run, null);
    }
  }

  #decide(member: CheckedMember, told: { teller: CheckedMember; run: ToldRun } | undefined): FamilyPlace {
    const above = this.above(member);
    const named = member.parentPath === null ? undefined : this.#byPath.get(member.parentPath);
    const parent = above ?? told?.teller ?? (named === member ? null : (named ?? null));
    if (above !== null || told !== undefined || isSubagentPath(member.path)) {
      return { parent, origin: "subagent", agent: told?.run.agent ?? agentInName(member.path) ?? "subagent" };
    }
    if (member.parentPath === null) return { parent, origin: "interactive", agent: null };
    return { parent, origin: member.copied === 1 ? "fork" : "handoff", agent: null };
  }

  /** The session in whose folder another lies; where that is gone, a copy of it, or the first fork. */
  above(member: Pick<CheckedMember, "path"> | CheckedMember): CheckedMember | null {
    for (
      let folder = dirname(member.path), steps = 0;
      dirname(folder) !== folder && steps < 12;
      folder = dirname(folder), steps++
    ) {
      const path = familyOwner(folder);
      if (path === null) continue;
      const sameId = this.#bySessionId.get(sessionIdInName(path) ?? "")?.find((each) => each !== member);
      const fork = this.#forks.get(path) ?? this.#forksByName.get(basename(path));
      const found = this.#byPath.get(path) ?? sameId ?? fork;
      if (found !== undefined && found !== member) return found;
    }
    return null;
  }

  #compare(member: CheckedMember): void {
    const { parent, origin, agent } = this.#places.get(member) ?? { parent: null, origin: "", agent: null };
    const root = this.#rootOf(member);
    const expected = { origin, agent, parentFileId: parent?.fileId ?? null, rootFileId: root.fileId };
    for (const [name, value] of Object.entries(expected)) {
      const found = member[name as keyof typeof expected];
      if (found !== value) this.#add(member, `${name} is ${found} in the index, and ${value} by its family`);
    }
  }

  #rootOf(member: CheckedMember): CheckedMember {
    const seen = new Set([member]);
    for (let root = member; ; ) {
      const place = this.#places.get(root);
      const next = place?.origin === "subagent" ? place.parent : null;
      if (next === null || next === undefined || seen.has(next)) return root;
      seen.add(next);
      root = next;
    }
  }

  #compareRun(run: ToldRun): void {
    const child = this.#children.get(run)?.fileId ?? null;
    const teller = this.#byId.get(run.fileId);
    if (teller && child !== run.childFileId)
      this.#add(teller, `a run's session is file ${run.childFileId} in the index, and ${child} by its path`);
  }

  /** Whether a file of the index is at a path, as it is reached through its root. */
  isThere(path: string): boolean {
    return this.#byPath.get(path)?.path === path;
  }

  #add({ path }: CheckedMember, what: string): void {
    this.#differences.push({ path, what });
  }
}
