import { familyFolder, insideOf } from "../../files/session-path.ts";
import { groupedBy } from "../../runtime/collections.ts";
import type { Database } from "../../store/native.ts";
import { columnOf, propertiesOf } from "../../store/tables/row-sql.ts";
import { sameDollars } from "./difference.ts";

/* What counts of the results that state what sub-agents have spent, worked out once more from what the files state. */

const NUMBERS = propertiesOf("unaccounted_usage", ["entryKey"]).map((name) =>
  columnOf("unaccounted_usage", name),
);
const STATED = NUMBERS.map((name) => `u.${name}`).join(", ");

const USAGE = `SELECT u.entry_key, u.bill, u.timestamp, u.accounted, k.source, ${STATED}
  FROM usage_rows u JOIN usage_kinds k ON k.id = u.kind WHERE u.file_id IN (SELECT value FROM json_each(?))
  ORDER BY u.entry_key`;

const UNACCOUNTED = `SELECT entry_key, ${NUMBERS} FROM unaccounted_usage`;

/** Files in which results count otherwise than they state. */
const ACCOUNTED = `SELECT DISTINCT file_id FROM usage_rows WHERE accounted <> 0 OR entry_key IN
  (SELECT entry_key FROM unaccounted_usage)`;

/** A session as a member of its family. */
export interface CheckedMember {
  fileId: number;
  path: string;
  realPath: string;
  sessionId: string;
  createdAt: number | null;
  parentPath: string | null;
  copied: 0 | 1;
  parentFileId: number | null;
  rootFileId: number;
  origin: string;
  agent: string | null;
}

/** A run of a sub-agent, as an entry tells of it. */
export interface ToldRun {
  entryKey: number;
  fileId: number;
  agent: string | null;
  sessionFile: string | null;
  sessionId: string | null;
  childFileId: number | null;
}

/** What a family should be, of one session. */
export interface FamilyPlace {
  parent: CheckedMember | null;
  origin: string;
  agent: string | null;
}

export interface FamilyDifference {
  path: string;
  what: string;
}

/** All sessions of an index, and what is decided of them. */
export interface Family {
  members: readonly CheckedMember[];
  runs: readonly ToldRun[];
  byId(fileId: number): CheckedMember | undefined;
  withSessionId(sessionId: string): readonly CheckedMember[];
  runsOf(member: CheckedMember): readonly ToldRun[];
  childOf(run: ToldRun): CheckedMember | null;
  placeOf(member: CheckedMember): FamilyPlace | undefined;
  above(place: Pick<CheckedMember, "path">): CheckedMember | null;
  isThere(path: string): boolean;
}

type Numbers = Record<string, number>;

type UsageRow = Numbers & { entry_key: number; bill: number; accounted: number } & { source: string };

/** A session that is taken off results from a time on, and of it what is from before another time, if so. Unix ms. */
interface Waiting {
  child: CheckedMember;
  since: number;
  until: number | null;
}

/** Checks what counts of all results. */
export class FamilyMoney {
  readonly #database: Database;
  readonly #family: Family;
  readonly #ofParent: Map<number, CheckedMember[]>;
  readonly #rest: Map<number | undefined, Numbers>;
  /** Forks of sessions that are gone. */
  readonly #standIns: CheckedMember[];
  readonly #differences: FamilyDifference[] = [];

  constructor(database: Database, family: Family) {
    this.#database = database;
    this.#family = family;
    const rest = database.prepare(UNACCOUNTED).all() as Numbers[];
    this.#rest = new Map(rest.map((row) => [row.entry_key, row]));
    this.#ofParent = groupedBy(
      family.members.filter((member) => family.placeOf(member)?.origin === "subagent"),
      (member) => family.placeOf(member)?.parent?.fileId ?? 0,
    );
    this.#standIns = family.members.filter(
      ({ copied, parentPath }) => copied === 1 && parentPath !== null && !family.isThere(parentPath),
    );
  }

  check(): FamilyDifference[] {
    for (const fileId of this.#parents()) {
      const member = this.#family.byId(fileId);
      if (member !== undefined) this.#checkResults(member);
    }
    return this.#differences;
  }

  /** Files whose results may count otherwise than they state. */
  #parents(): Set<number> {
    const family = this.#family;
    const accounted = this.#database.prepare(ACCOUNTED).pluck().all() as number[];
    const copies = [...this.#ofParent.keys()].flatMap((fileId) => {
      const parent = family.byId(fileId);
      return parent ? family.withSessionId(parent.sessionId).map((copy) => copy.fileId) : [];
    });
    const telling = groupedBy(family.runs, ({ sessionFile }) => sessionFile);
    const ofForks = this.#standIns.flatMap(({ parentPath }) => [
      family.above({ path: parentPath ?? "" })?.fileId ?? 0,
      ...(telling.get(parentPath) ?? []).map(({ fileId }) => fileId),
    ]);
    return new Set([...family.runs.map(({ fileId }) => fileId), ...accounted, ...copies, ...ofForks]);
  }

  #checkResults(member: CheckedMember): void {
    const own = this.#usageOf([member]);
    const named = groupedBy(
      this.#family.runsOf(member).filter((run) => this.#family.childOf(run) !== null),
      ({ entryKey }) => entryKey,
    );
    const childrenOf = (key: number) =>
      (named.get(key) ?? []).flatMap((run) => this.#family.childOf(run) ?? []);
    const children = new Set([...named.keys()].flatMap(childrenOf));
    const ownBills = new Set(own.map(billOf));
    const billsOf = (asked: CheckedMember[], until: number | null = null) =>
      this.#billsOf(asked, { member, ownBills, until });
    const waiting = this.#waitingFor(member).filter(({ child }) => !children.has(child));
    const folder = new Folder(waiting, billsOf, billsOf([...children]));
    for (const row of own) {
      if (row.source === "tool") {
        const told = childrenOf(row.entry_key);
        const spent = told.length === 0 ? {} : added([...billsOf(told).values()]);
        this.#compareResult(member, row, folder.takenOff(row, spent));
      } else if (row.accounted !== 0) {
        this.#add(member, `entry ${row.entry_key} is said to state what sub-agents have spent`);
      }
    }
  }

  /** What nobody names: in the folder of the session, or of a copy of it, and forks of what was there. */
  #waitingFor(member: CheckedMember): Waiting[] {
    const folder = insideOf(familyFolder(member.path));
    const files = new Set(this.#family.runsOf(member).map(({ sessionFile }) => sessionFile));
    const forks = this.#standIns.filter(
      (each) => each !== member && (each.parentPath?.startsWith(folder) || files.has(each.parentPath)),
    );
    const inFolder = this.#family
      .withSessionId(member.sessionId)
      .flatMap((copy) => this.#ofParent.get(copy.fileId) ?? [])
      .filter((child) => child !== member);
    const all: Waiting[] = [
      ...forks.map((child) => ({ child, since: 0, until: child.createdAt })),
      ...inFolder.map((child) => ({ child, since: child.createdAt ?? 0, until: null })),
    ];
    return all.sort((a, b) => a.since - b.since || a.child.fileId - b.child.fileId);
  }

  /** What sessions and their sub-agents have spent, by bill, without what the parent holds itself. */
  #billsOf(
    asked: CheckedMember[],
    { member, ownBills, until }: { member: CheckedMember; ownBills: Set<string>; until: number | null },
  ): Map<string, Numbers> {
    const family = new Set(asked);
    for (const each of family)
      for (const child of this.#ofParent.get(each.fileId) ?? []) if (child !== member) family.add(child);
    const bills = new Map<string, Numbers>();
    for (const row of this.#usageOf([...family])) {
      const isMeant = until === null || (row.timestamp ?? until) < until;
      const counts = this.#countsOf(row);
      if (counts && isMeant && !ownBills.has(billOf(row))) bills.set(billOf(row), counts);
    }
    return bills;
  }

  #countsOf(row: UsageRow): Numbers | null {
    if (row.accounted === 0) return row;
    return row.accounted === 1 ? (this.#rest.get(row.entry_key) ?? {}) : null;
  }

  #compareResult(member: CheckedMember, row: UsageRow, counts: Numbers): void {
    const stored = this.#rest.get(row.entry_key);
    const found = this.#countsOf(row) ?? {};
    const isSame = (other: Numbers) =>
      NUMBERS.every((name) => sameDollars(counts[name] ?? 0, other[name] ?? 0));
    const isNothing = NUMBERS.every((name) => (counts[name] ?? 0) < 1e-9);
    const accounted = isSame(row) ? 0 : isNothing ? 2 : 1;
    if (isSame(found) && row.accounted === accounted && (accounted === 1) === (stored !== undefined)) return;
    const what = `${found.cost ?? 0} dollars count, and ${counts.cost} are left by its sub-agents`;
    this.#add(member, `of entry ${row.entry_key} ${what}`);
  }

  #usageOf(members: CheckedMember[]): UsageRow[] {
    const fileIds = JSON.stringify(members.map(({ fileId }) => fileId));
    return this.#database.prepare(USAGE).all(fileIds) as UsageRow[];
  }

  #add({ path }: CheckedMember, what: string): void {
    this.#differences.push({ path, what });
  }
}

/** What nobody names is taken off the results that came after it, each bill once. */
class Folder {
  readonly #waiting: Waiting[];
  readonly #billsOf: (members: CheckedMember[], until: number | null) => Map<string, Numbers>;
  readonly #taken: Map<string, Numbers>;
  readonly #available: Numbers = {};

  constructor(
    waiting: Waiting[],
    billsOf: (members: CheckedMember[], until: number | null) => Map<string, Numbers>,
    named: Map<string, Numbers>,
  ) {
    this.#waiting = waiting;
    this.#billsOf = billsOf;
    this.#taken = named;
  }

  /** What is left of a result, after what those it names have spent. */
  takenOff(row: UsageRow, spent: Numbers): Numbers {
    this.#open(row.timestamp ?? Number.MAX_SAFE_INTEGER);
    const counts = NUMBERS.map((name) => {
      const left = Math.max(0, (row[name] ?? 0) - (spent[name] ?? 0));
      const taken = Math.min(left, this.#available[name] ?? 0);
      this.#available[name] = (this.#available[name] ?? 0) - taken;
      return [name, left - taken];
    });
    return Object.fromEntries(counts);
  }

  #open(time: number): void {
    for (let next = this.#waiting[0]; next && next.since <= time; next = this.#waiting[0]) {
      this.#waiting.shift();
      for (const [bill, numbers] of this.#billsOf([next.child], next.until)) {
        if (this.#taken.has(bill)) continue;
        this.#taken.set(bill, numbers);
        for (const name of NUMBERS)
          this.#available[name] = (this.#available[name] ?? 0) + (numbers[name] ?? 0);
      }
    }
  }
}

function added(rows: readonly Numbers[]): Numbers {
  return Object.fromEntries(
    NUMBERS.map((name) => [name, rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)]),
  );
}

function billOf({ bill, total_tokens: tokens }: Numbers): string {
  return `${bill} ${tokens}`;
}
