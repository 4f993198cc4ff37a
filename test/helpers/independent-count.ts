import {
  type Fields,
  isFields,
  type ReadEntry,
  type ReadFile,
  readSessionsFolder,
  timeOf,
} from "./independent-read.ts";

export interface CountedSums {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: number;
  requests: number;
}

/** One place that holds usage. */
export interface Spending extends CountedSums {
  path: string;
  line: number;
  entryId: string;
  /** assistant, tool, compaction, branch_summary, or the kind of a usage entry. */
  source: string;
  provider: string | null;
  model: string | null;
  time: number | null;
  /** Equal for copies in forks, different for all others. */
  identity: string;
  /** True for one of the copies only: that in the session created first (of the same time, the smaller path). */
  counted: boolean;
}

export interface CountedFile extends ReadFile {
  entryCount: number;
  usage: Spending[];
  /** All usage of the session, and its two parts: that counted here, and that counted elsewhere. */
  all: CountedSums;
  own: CountedSums;
  inherited: CountedSums;
}

export interface FolderCount {
  files: CountedFile[];
  /** Money and tokens, each counted once; and those of copies, which are not counted. */
  totals: CountedSums;
  copies: CountedSums;
  /** Counted spendings by day (`2026-11-03`) of the zone and by model; "unknown" where the file does not say. */
  byDay: Map<string, CountedSums>;
  byModel: Map<string, CountedSums>;
  /** The file of each path, for `own` and `inherited`. */
  bySession: Map<string, CountedFile>;
}

/** Reads every session below `root` and adds up its usage, slowly and plainly. `zone` is an IANA name. */
export function countFolder(root: string, { zone = "UTC" }: { zone?: string } = {}): FolderCount {
  const read = readSessionsFolder(root).map((file) => ({
    file,
    usage: file.entries.flatMap(spendingIn(file)),
  }));
  markCopies(read);
  const files = read.map(({ file, usage }): CountedFile => {
    const own = sum(usage.filter((spending) => spending.counted));
    const inherited = sum(usage.filter((spending) => !spending.counted));
    return { ...file, entryCount: file.entries.length, usage, all: sum(usage), own, inherited };
  });
  const dayOf = daysIn(zone);
  const spendings = files.flatMap((file) => file.usage);
  const counted = spendings.filter((spending) => spending.counted);
  return {
    files,
    totals: sum(counted),
    copies: sum(spendings.filter((spending) => !spending.counted)),
    byDay: sumBy(counted, (spending) => dayOf(spending.time)),
    byModel: sumBy(counted, (spending) => spending.model ?? "unknown"),
    bySession: new Map(files.map((file) => [file.path, file])),
  };
}

/** The usage of an entry: an array with none or one. */
function spendingIn(file: ReadFile): (entry: ReadEntry) => Spending[] {
  return (entry) => {
    const place = placeOf(entry);
    if (place === null || !isFields(place.holder.usage)) return [];
    const sums = sumsOf(place.holder.usage);
    const provider = stringIn("provider", place.holder, entry.value);
    const model = stringIn("model", place.holder, entry.value);
    const { input, output, cacheRead, cacheWrite, totalTokens } = sums;
    const counts = [input, output, cacheRead, cacheWrite, totalTokens];
    const identity = JSON.stringify([nameOf(entry), provider, model, ...counts]);
    const where = { path: file.path, line: entry.line, entryId: entry.id };
    const what = { source: place.source, provider, model, time: entry.time };
    return [{ ...sums, ...where, ...what, identity, counted: true }];
  };
}

/** What a request is known by: its response, else its message and the time of that, else the entry. */
function nameOf({ id, value }: ReadEntry): unknown {
  const message = value.type === "message" && isFields(value.message) ? value.message : {};
  if (typeof message.responseId === "string" && message.responseId !== "") return message.responseId;
  if (typeof message.timestamp === "number" && timeOf(message.timestamp) !== null)
    return [message.timestamp, message.content, message.toolCallId];
  return [id, timeOf(value.timestamp) ?? String(value.timestamp)];
}

/** Which object of the entry may hold `usage`, and what the usage is for. */
function placeOf(entry: ReadEntry): { holder: Fields; source: string } | null {
  const { message, kind } = entry.value;
  switch (entry.type) {
    case "message":
      if (!isFields(message)) return null;
      if (entry.role === "assistant") return { holder: message, source: "assistant" };
      return entry.role === "toolResult" ? { holder: message, source: "tool" } : null;
    case "compaction":
    case "branch_summary":
      return { holder: entry.value, source: entry.type };
    case "usage":
      return { holder: entry.value, source: typeof kind === "string" ? kind : "usage" };
    default:
      return null;
  }
}

/** Missing, non-finite, negative and non-numeric numbers count 0; a missing total is the sum of its parts. */
function sumsOf(usage: Fields): CountedSums {
  const number = (from: Fields, key: string) => {
    const value = from[key];
    return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
  };
  const parts = ["input", "output", "cacheRead", "cacheWrite"];
  const total = (from: Fields, key: string) => {
    const missing = from[key] === undefined || from[key] === null;
    return missing ? parts.reduce((sofar, part) => sofar + number(from, part), 0) : number(from, key);
  };
  return {
    input: number(usage, "input"),
    output: number(usage, "output"),
    cacheRead: number(usage, "cacheRead"),
    cacheWrite: number(usage, "cacheWrite"),
    totalTokens: total(usage, "totalTokens"),
    cost: isFields(usage.cost) ? total(usage.cost, "total") : 0,
    requests: 1,
  };
}

/** Of each identity only the first counts: by time of the header, then path, then line. */
function markCopies(read: { file: ReadFile; usage: Spending[] }[]): void {
  const created = (file: ReadFile) => timeOf(file.header.timestamp) ?? Number.POSITIVE_INFINITY;
  const eldestFirst = [...read].sort(({ file: a }, { file: b }) => {
    if (created(a) !== created(b)) return created(a) < created(b) ? -1 : 1;
    return a.path < b.path ? -1 : 1;
  });
  const seen = new Set<string>();
  for (const { usage } of eldestFirst) {
    // What is alike within one file are several requests, unless an entry is there twice.
    const alike = new Map<string, string[]>();
    for (const spending of usage) {
      const ids = alike.get(spending.identity) ?? [];
      alike.set(spending.identity, ids);
      if (!ids.includes(spending.entryId)) ids.push(spending.entryId);
      spending.identity += ` ${ids.indexOf(spending.entryId)}`;
    }
    for (const spending of usage) {
      spending.counted = !seen.has(spending.identity);
      seen.add(spending.identity);
    }
  }
}

function sum(spendings: CountedSums[]): CountedSums {
  const total = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0, requests: 0 };
  for (const spending of spendings) {
    total.input += spending.input;
    total.output += spending.output;
    total.cacheRead += spending.cacheRead;
    total.cacheWrite += spending.cacheWrite;
    total.totalTokens += spending.totalTokens;
    total.cost += spending.cost;
    total.requests += spending.requests;
  }
  return total;
}

export function sumBy(
  spendings: Spending[],
  keyOf: (spending: Spending) => string,
): Map<string, CountedSums> {
  const groups = new Map<string, Spending[]>();
  for (const spending of spendings) {
    const key = keyOf(spending);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [spending]);
    else group.push(spending);
  }
  return new Map([...groups.keys()].sort().map((key) => [key, sum(groups.get(key) ?? [])]));
}

/** Writes a moment as the calendar day of a zone: `2026-11-03`, the way Sweden does. */
function daysIn(zone: string): (time: number | null) => string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone });
  return (time) => (time === null ? "unknown" : format.format(time));
}

function stringIn(key: string, ...objects: Fields[]): string | null {
  const found = objects.map((object) => object[key]).find((value) => typeof value === "string");
  return typeof found === "string" ? found : null;
}
