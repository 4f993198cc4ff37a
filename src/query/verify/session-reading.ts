import type { Line } from "../../file/lines.ts";
import {
  answeredCallOf,
  type EntryFacts,
  factsOf,
  messageOf,
  spokenText,
  type ToolCallFacts,
  timeOf,
  toolCallsOf,
} from "../../format/entry.ts";
import { headOf } from "../../format/head.ts";
import { type JsonObject, objectAt, stringOrNull } from "../../format/json.ts";
import { type ParsedHeader, parseLine } from "../../format/parse.ts";
import { isChained, nameByLine, upgradeEntry, versionOf } from "../../format/upgrade.ts";
import { type EntryUsage, usageOf } from "../../format/usage.ts";

/** An entry as it is read from its file. */
export interface ReadEntry {
  line: number;
  offset: number;
  length: number;
  facts: EntryFacts | null;
  /** The id a bill is known by; null for one too long to be decoded. */
  billId: string | null;
  usage: EntryUsage | null;
  /** What a person or model said. */
  text: string | null;
  /** As version 3 has it; null for one too long to be decoded. */
  entry: JsonObject | null;
  /** The tool calls it makes. */
  calls: ToolCallFacts[];
  /** The id of the call it is the result of. */
  answers: string | null;
}

/** What a session is by its entries, added up plainly. */
export interface ReadSession {
  sessionId: string;
  cwd: string;
  version: number;
  createdAt: number | null;
  name: string | null;
  entryCount: number;
  messageCount: number;
  leafId: string | null;
  labels: Map<string, string>;
}

/** What pi's `getSessionStats` adds up, from the same five places; NaN where pi would say so. */
export interface PiTotals {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}

/** Understands the lines of one session file, without the index and without what fills it. */
export class SessionReading {
  session: ReadSession | null = null;
  malformedLines = 0;
  readonly piTotals: PiTotals = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

  /** The entry of a line; null for a line that has none. */
  take(line: Line, number: number): ReadEntry | null {
    const parsed = line.bytes === null ? null : parseLine(line.bytes);
    switch (parsed?.kind) {
      case "header":
        this.session ??= sessionOf(parsed.header);
        return null;
      case "entry":
        return this.#entry(parsed.entry, line, number);
      case undefined:
        return this.#unread(line, number);
      case "blank":
        return null;
      case "scalar":
        if (this.session !== null && !isChained(this.session.version)) this.session.leafId = null;
        this.malformedLines++;
        return null;
      case "falsy":
      case "malformed":
        this.malformedLines++;
        return null;
      default:
        return parsed satisfies never;
    }
  }

  #entry(written: JsonObject, line: Line, number: number): ReadEntry | null {
    const { session } = this;
    if (session === null) return null;
    const name = nameByLine(line.place ?? number);
    const entry = upgradeEntry(written, session.version, { name, previousId: session.leafId });
    const facts = factsOf(entry);
    countEntry(session, facts, entry);
    this.#countAsPiDoes(entry);
    const { offset, length } = line;
    return {
      line: number,
      offset,
      length,
      facts,
      billId: facts.id ?? name,
      usage: usageOf(entry),
      text: spokenText(entry) || null,
      entry,
      calls: toolCallsOf(entry),
      answers: answeredCallOf(entry),
    };
  }

  /** Too long to be decoded: its place and how it begins is all the index has of it. */
  #unread(line: Line, number: number): ReadEntry | null {
    const { session } = this;
    if (session === null) return null;
    const { offset, length } = line;
    const nothing = { billId: null, usage: null, text: null, entry: null, calls: [] };
    const written = line.head === undefined ? null : headOf(line.head);
    if (written === null) {
      session.entryCount++;
      session.leafId = null;
      return { line: number, offset, length, facts: null, answers: null, ...nothing };
    }
    const name = nameByLine(line.place ?? number);
    const head = upgradeEntry(written, session.version, { name, previousId: session.leafId });
    const facts = factsOf(head);
    countEntry(session, facts, head);
    return { line: number, offset, length, facts, answers: answeredCallOf(head), ...nothing };
  }

  #countAsPiDoes(entry: JsonObject): void {
    const message = messageOf(entry);
    const isCounted = message?.role === "assistant" || message?.role === "toolResult";
    const owner = isCounted ? message : entry;
    const hasUsage = isCounted || ["usage", "compaction", "branch_summary"].includes(String(entry.type));
    const usage = hasUsage ? objectAt(owner, "usage") : null;
    if (usage === null) return;
    const { piTotals } = this;
    for (const part of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      piTotals[part] += asNumber(usage[part]);
    }
    piTotals.cost += asNumber(objectAt(usage, "cost")?.total);
  }
}

function asNumber(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

function sessionOf(header: ParsedHeader): ReadSession {
  return {
    sessionId: header.id.toWellFormed(),
    cwd: stringOrNull(header.cwd) ?? "",
    version: versionOf(header),
    createdAt: timeOf(header.timestamp),
    name: null,
    entryCount: 0,
    messageCount: 0,
    leafId: null,
    labels: new Map(),
  };
}

function countEntry(session: ReadSession, facts: EntryFacts, entry: JsonObject): void {
  session.entryCount++;
  session.leafId = facts.id;
  if (facts.type === "message") session.messageCount++;
  if (facts.type === "session_info") session.name = stringOrNull(entry.name)?.trim() || null;
  if (facts.type !== "label" || facts.targetId === null) return;
  const label = stringOrNull(entry.label);
  if (label) session.labels.set(facts.targetId, label);
  else session.labels.delete(facts.targetId);
}
