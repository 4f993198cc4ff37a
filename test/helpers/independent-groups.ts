import {
  type CountedFile,
  type CountedSums,
  countFolder,
  type Spending,
  sumBy,
} from "./independent-count.ts";
import { isFields, type ReadEntry, type ReadFile } from "./independent-read.ts";

// All groupings of a usage report, counted in a second way: plainly, entry by entry.

export type Groups = Map<string, CountedSums>;

export interface GroupedCount {
  hourly: Groups;
  daily: Groups;
  /** Weeks that begin on a Monday; `sundays` has those that begin on a Sunday. */
  weekly: Groups;
  sundays: Groups;
  monthly: Groups;
  "hour-of-week": Groups;
  model: Groups;
  provider: Groups;
  source: Groups;
  tool: Groups;
  label: Groups;
  branch: Groups;
}

export interface Placed {
  spending: Spending;
  file: CountedFile;
  entry: ReadEntry;
  onBranch: boolean;
}

/** All usage counted below `root`, in every grouping; days are those of an IANA zone. */
export function groupFolder(root: string, zone = "UTC"): GroupedCount {
  const { files } = countFolder(root, { zone });
  const { placed, kept } = placeUsage(files);
  const byLine = new Map(placed.map((each) => [each.spending, each]));
  const counted = placed.filter(({ spending }) => spending.counted).map(({ spending }) => spending);
  const by = (keyOf: (placed: Placed) => string): Groups =>
    sumBy(counted, (spending) => keyOf(byLine.get(spending) as Placed));
  const day = dayNames(zone);
  const when = ({ spending, file }: Placed) => spending.time ?? Date.parse(String(file.header.timestamp));
  return {
    hourly: by((each) => hourName(when(each), zone)),
    daily: by((each) => day(when(each))),
    weekly: by((each) => weekName(day(when(each)), 1)),
    sundays: by((each) => weekName(day(when(each)), 0)),
    monthly: by((each) => day(when(each)).slice(0, 7)),
    "hour-of-week": by((each) => hourOfWeekName(when(each), zone)),
    model: by(({ spending }) => spending.model ?? "unknown"),
    provider: by(({ spending }) => spending.provider ?? "unknown"),
    source: by(({ spending }) => spending.source),
    tool: by(({ spending, entry }) => (spending.source === "tool" ? toolOf(entry) : "none")),
    label: by(({ file, entry }) => labelOver(file, entry)),
    branch: by(({ spending }) => (kept.has(spending.identity) ? "current" : "abandoned")),
  };
}

/** All usage with its place; `kept` are the identities of what nobody has left behind, in any copy. */
export function placeUsage(files: readonly CountedFile[]): { placed: Placed[]; kept: Set<string> } {
  const placed = files.flatMap((file) => {
    const branch = branchOf(file);
    return file.usage.map((spending): Placed => {
      const entry = file.entries.find(({ id, line }) => line === spending.line && id === spending.entryId);
      if (entry === undefined) throw new Error(`no entry at ${file.path}:${spending.line}`);
      return { spending, file, entry, onBranch: branch === null || branch.has(entry) };
    });
  });
  const kept = new Set(placed.filter(({ onBranch }) => onBranch).map(({ spending }) => spending.identity));
  return { placed, kept };
}

function toolOf({ value }: ReadEntry): string {
  return isFields(value.message) ? String(value.message.toolName) : "none";
}

/** The parent of an entry: by id, the last entry with it; in version 1 the line before. */
export function parentOf(file: ReadFile, entry: ReadEntry): ReadEntry | undefined {
  if ((file.header.version ?? 1) === 1) return file.entries[file.entries.indexOf(entry) - 1];
  return file.entries.findLast(({ id }) => id === entry.value.parentId);
}

function pathToRoot(file: ReadFile, from: ReadEntry | undefined): Set<ReadEntry> {
  const path = new Set<ReadEntry>();
  for (let entry = from; entry !== undefined && !path.has(entry); entry = parentOf(file, entry))
    path.add(entry);
  return path;
}

/**
 * The entries that nobody has left on purpose: from the last one to the root; over a gap to what stands before it in the
 * file; and what somebody had said before a branch on which nobody has said anything since. Null for a tree without
 * branches, where none is abandoned.
 */
function branchOf(file: ReadFile): Set<ReadEntry> | null {
  const parents = new Set(file.entries.map((entry) => parentOf(file, entry)));
  const leaves = file.entries.filter((entry) => !parents.has(entry));
  if (leaves.length < 2) return null;
  const kept = new Set<ReadEntry>();
  const seen = new Set<string>();
  const keep = (entry: ReadEntry | undefined, heard: boolean): void => {
    const at = entry === undefined ? -1 : file.entries.indexOf(entry);
    if (entry === undefined || seen.has(`${at} ${heard}`)) return;
    seen.add(`${at} ${heard}`);
    kept.add(entry);
    const isHeard = heard || isSaidByPerson(entry);
    const parent = parentOf(file, entry);
    const isGap = parent === undefined && typeof entry.value.parentId === "string";
    keep(parent, isHeard);
    const others = file.entries.slice(
      parent === undefined ? 0 : file.entries.indexOf(parent) + 1,
      Math.max(at, 0),
    );
    if ((!isHeard && others.some(isSaidByPerson)) || isGap) keep(file.entries[at - 1], isHeard);
  };
  keep(file.entries.at(-1), false);
  return kept;
}

function isSaidByPerson({ type, value }: ReadEntry): boolean {
  const role = isFields(value.message) ? value.message.role : undefined;
  return type === "branch_summary" || role === "user" || role === "bashExecution";
}

function labelOver(file: ReadFile, entry: ReadEntry): string {
  const labels = new Map<unknown, unknown>();
  for (const { type, value } of file.entries) if (type === "label") labels.set(value.targetId, value.label);
  for (const { id } of pathToRoot(file, entry)) {
    const label = labels.get(id);
    if (typeof label === "string" && label !== "") return label;
  }
  return "none";
}

/** `2026-11-03`, the way Sweden does. */
function dayNames(zone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone });
  return (time) => format.format(time);
}

/** The first day of the week of a day; `start` 0 is Sunday. */
function weekName(day: string, start: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  while (date.getUTCDay() !== start) date.setUTCDate(date.getUTCDate() - 1);
  return date.toISOString().slice(0, 10);
}

function hourOfWeekName(time: number, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, weekday: "short", hour: "2-digit" });
  const part = (type: string) => parts.formatToParts(time).find((each) => each.type === type)?.value ?? "";
  return `${part("weekday")} ${part("hour").padStart(2, "0")}:00`;
}

function hourName(time: number, zone: string): string {
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    hour: "2-digit",
    timeZoneName: "longOffset",
  });
  const part = (type: string) => parts.formatToParts(time).find((each) => each.type === type)?.value ?? "";
  const offset = part("timeZoneName").replace("GMT", "").replace("−", "-") || "+00:00";
  return `${dayNames(zone)(time)}T${part("hour").padStart(2, "0")}:00${offset}`;
}
