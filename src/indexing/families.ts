import { agentInName, isSubagentPath, type Origin } from "../files/session-path.ts";
import type { Database, Statement } from "../store/native.ts";
import type { Member } from "./family-rows.ts";
import { Relatives } from "./relatives.ts";
import { SubagentMoney } from "./subagent-money.ts";

/*
 * A session knows its parent, and why it has one: it was forked from it, carries on from it, or is that of a sub-agent.
 * What is decided depends on what is in the index only, never on the order of arrival: so whatever a change may concern is
 * decided anew, at the end of the transaction.
 */

const SAVE = `UPDATE sessions SET parent_file_id = @parentFileId, root_file_id = @rootFileId, origin = @origin,
  agent = @agent WHERE file_id = @fileId`;

/** Keeps parents, roots and origins of sessions right, and what counts of the results that state their sub-agents' usage. */
export class Families {
  readonly #relatives: Relatives;
  readonly #setChild: Statement;
  readonly #save: Statement;
  readonly #money: SubagentMoney;
  /** Sessions that have come, or lie elsewhere now. What was rolled back is decided in vain, which does no harm. */
  readonly #newcomers = new Set<number>();
  /** Files whose runs have to be looked up. */
  readonly #tellers = new Set<number>();
  /** Sessions whose place in their family has to be decided. */
  readonly #undecided = new Set<number>();
  /** Sessions that have spent more. */
  readonly #spending = new Set<number>();
  /** Files in which other numbers may count. */
  readonly #payers = new Set<number>();

  constructor(database: Database) {
    this.#relatives = new Relatives(database);
    this.#setChild = database.prepare(
      "UPDATE subagents SET child_file_id = ? WHERE entry_key = ? AND run = ?",
    );
    this.#save = database.prepare(SAVE);
    this.#money = new SubagentMoney(database);
  }

  /** A session is new, lies elsewhere now, or turned out to hold copies. */
  arrived(fileId: number): void {
    this.#newcomers.add(fileId);
  }

  /** Entries of a file tell of sub-agents that are new. */
  told(fileId: number): void {
    this.#tellers.add(fileId);
  }

  /** New usage stands in a session. */
  spent(fileId: number, source: string): void {
    this.#spending.add(fileId);
    if (source === "tool") this.#payers.add(fileId);
  }

  /** To be called before the rows of a session are removed. */
  leaving(fileId: number): void {
    const member = this.#relatives.memberOf(fileId);
    if (member === null) return;
    this.#relatives.reset();
    for (const id of this.#relatives.tellersOf(member)) this.#tellers.add(id);
    for (const id of [...this.#relatives.childrenOf(fileId), ...this.#relatives.toldBelow(fileId)]) {
      this.#undecided.add(id);
      this.#tellers.add(id);
    }
    for (const id of this.#relatives.paying(fileId)) this.#payers.add(id);
  }

  /** Decides what changes may concern. Returns the files in which other numbers count now. */
  decide(): number[] {
    this.#relatives.reset();
    for (const fileId of this.#newcomers) this.#introduce(fileId);
    for (const fileId of this.#tellers) this.#lookUpRuns(fileId);
    for (const fileId of this.#undecided) this.#place(fileId);
    const changed = this.#deepestFirst().filter((fileId) => this.#money.decide(fileId));
    for (const set of [this.#newcomers, this.#tellers, this.#undecided, this.#spending, this.#payers])
      set.clear();
    return changed;
  }

  /** Finds all that a session may be related to. */
  #introduce(fileId: number): void {
    const member = this.#relatives.memberOf(fileId);
    if (member === null) return;
    this.#undecided.add(fileId);
    this.#tellers.add(fileId);
    this.#payers.add(fileId);
    for (const id of this.#relatives.relatedTo(member)) {
      this.#undecided.add(id);
      this.#tellers.add(id);
    }
    for (const id of this.#relatives.tellersOf(member)) this.#tellers.add(id);
    const above = this.#relatives.parentByPlace(member);
    if (above !== null) this.#tellers.add(above);
    for (const id of this.#relatives.paying(fileId)) this.#payers.add(id);
  }

  /** Finds the sessions of the runs that a file tells of. */
  #lookUpRuns(fileId: number): void {
    const teller = this.#relatives.memberOf(fileId);
    if (teller === null) return;
    this.#payers.add(fileId);
    for (const run of this.#relatives.runsOf(fileId)) {
      const child = this.#relatives.childOf(run, teller);
      if (child === run.childFileId) continue;
      // Those that the session tells of work for this one, too, and may name it.
      const told = [child, run.childFileId].flatMap((id) =>
        id === null ? [] : this.#relatives.toldBelow(id),
      );
      this.#setChild.run(child, run.entryKey, run.run);
      for (const id of told) {
        this.#undecided.add(id);
        if (id !== fileId) this.#tellLater(id);
      }
    }
  }

  #place(fileId: number): void {
    const member = this.#relatives.memberOf(fileId);
    if (member === null) return;
    const above = this.#relatives.parentByPlace(member);
    const told = this.#relatives.toldBy(fileId);
    const isSubagent = above !== null || told !== undefined || isSubagentPath(member.path);
    const stated = member.parentPath === null ? null : this.#relatives.at(member.parentPath);
    const parentFileId = above ?? told?.fileId ?? (stated === fileId ? null : stated);
    const origin = isSubagent ? "subagent" : originOf(member);
    const agent = isSubagent ? (told?.agent ?? agentInName(member.path) ?? "subagent") : null;
    const rootFileId = this.#relatives.rootOf(fileId, isSubagent ? parentFileId : null);
    const { parentFileId: oldParent, rootFileId: oldRoot } = member;
    if (
      parentFileId === oldParent &&
      rootFileId === oldRoot &&
      origin === member.origin &&
      agent === member.agent
    )
      return;
    this.#save.run({ fileId, parentFileId, rootFileId, origin, agent });
    if (isSubagent || member.origin === "subagent") {
      for (const parent of [parentFileId, oldParent])
        for (const id of this.#relatives.copiesOf(parent)) this.#payers.add(id);
    }
    // Those decided before it have gone by what is said of it no more, also where its own root is what it was.
    for (const id of this.#relatives.childrenOf(fileId)) this.#placeLater(id);
  }

  #placeLater(fileId: number): void {
    // What comes into the set while it is gone through comes up, too; what has been there does not come up again.
    this.#undecided.delete(fileId);
    this.#undecided.add(fileId);
  }

  #tellLater(fileId: number): void {
    this.#tellers.delete(fileId);
    this.#tellers.add(fileId);
  }

  /**
   * The files in which other numbers may count, with all that state what is spent in them: children before their parents.
   * Each is put before those that state it once all of those are known; where they go round in a circle, anyhow.
   */
  #deepestFirst(): number[] {
    const found = [...this.#payers, ...[...this.#spending].flatMap((id) => this.#relatives.paying(id))];
    const order: number[] = [];
    const seen = new Set<number>();
    const stack = found.map((fileId) => ({ fileId, isDone: false }));
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { fileId, isDone } = next;
      if (isDone) order.push(fileId);
      if (isDone || seen.has(fileId)) continue;
      seen.add(fileId);
      stack.push({ fileId, isDone: true });
      for (const paying of this.#relatives.paying(fileId)) stack.push({ fileId: paying, isDone: false });
    }
    return order.reverse();
  }
}

/** Where a session that is no sub-agent's comes from: it is a fork if it holds what was said before it was created. */
function originOf({ parentPath, copied }: Member): Origin {
  if (parentPath === null) return "interactive";
  return copied ? "fork" : "handoff";
}
