import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

// A second reader of session files, written from the description of the format alone: whole files, split at newlines,
// JSON.parse. It shares no code with `src`, so that the two are unlikely to be wrong in the same way.

export type Fields = Record<string, unknown>;

export interface ReadEntry {
  /** 1-based line in the file; in a `.json` array the 1-based place in the array. */
  line: number;
  /** The entry's own id; `v1-<line>` where it has none. */
  id: string;
  type: string;
  /** The role of a message, else null. */
  role: string | null;
  /** Unix ms of the entry, else of its message; null when neither says. */
  time: number | null;
  value: Fields;
}

export interface ReadFile {
  /** Real path. */
  path: string;
  header: Fields;
  entries: ReadEntry[];
  messageCount: number;
  /** Complete lines that are not blank and do not parse. */
  malformed: number;
}

/** Every session below `root`, at any depth, by real path in code unit order; other files are left out. */
export function readSessionsFolder(root: string): ReadFile[] {
  const paths = new Map<string, string>();
  walk(realpathSync(root), new Set(), paths);
  return [...paths.values()]
    .sort((a, b) => (a < b ? -1 : 1))
    .map(readSession)
    .filter((file) => file !== null);
}

/** One session file, or null when its first parsed line is no header. */
export function readSession(path: string): ReadFile | null {
  const { lines, malformed } = path.endsWith(".json") ? readArray(path) : readLines(path);
  const [first, ...rest] = lines;
  if (first === undefined || !isFields(first.value)) return null;
  if (first.value.type !== "session" || typeof first.value.id !== "string") return null;
  const entries = rest.flatMap(({ line, value }) =>
    isFields(value) && value.type !== "session" ? [entryOf(line, value)] : [],
  );
  const messageCount = entries.filter((entry) => entry.type === "message").length;
  return { path, header: first.value, entries, messageCount, malformed };
}

interface ParsedLine {
  line: number;
  value: unknown;
}

function readLines(path: string): { lines: ParsedLine[]; malformed: number } {
  const texts = readFileSync(path, "utf8").split("\n");
  const lines: ParsedLine[] = [];
  let malformed = 0;
  for (const [index, text] of texts.entries()) {
    if (text.trim() === "") continue;
    const parsed = parse(text);
    const complete = index < texts.length - 1;
    if (parsed !== null) lines.push({ line: index + 1, value: parsed.value });
    else if (complete) {
      malformed += 1;
      if (lines.length > 0) for (const value of wholeIn(text)) lines.push({ line: index + 1, value });
    }
  }
  return { lines, malformed };
}

/** Entries that stand whole in a damaged line: every beginning of an object is tried with every end. */
function wholeIn(text: string): Fields[] {
  const found: Fields[] = [];
  for (let at = text.indexOf('{"'); at >= 0; ) {
    let next = text.indexOf('{"', at + 1);
    for (let end = text.indexOf("}", at); end >= 0; end = text.indexOf("}", end + 1)) {
      const value = parse(text.slice(at, end + 1))?.value;
      if (value === undefined) continue;
      if (isWhole(value)) {
        found.push(value);
        next = text.indexOf('{"', end);
      }
      break;
    }
    at = next;
  }
  return found;
}

function isWhole(value: unknown): value is Fields {
  if (!isFields(value) || value.type === "session" || typeof value.type !== "string") return false;
  return typeof value.timestamp === "string" && (typeof value.id === "string" || isFields(value.message));
}

function readArray(path: string): { lines: ParsedLine[]; malformed: number } {
  const whole = parse(readFileSync(path, "utf8"))?.value;
  const values = Array.isArray(whole) ? whole : [];
  return { lines: values.map((value: unknown, index) => ({ line: index + 1, value })), malformed: 0 };
}

function entryOf(line: number, value: Fields): ReadEntry {
  const message = isFields(value.message) ? value.message : {};
  return {
    line,
    id: typeof value.id === "string" ? value.id : `v1-${line}`,
    type: typeof value.type === "string" ? value.type : "",
    role: value.type === "message" && typeof message.role === "string" ? message.role : null,
    time: timeOf(value.timestamp) ?? timeOf(message.timestamp),
    value,
  };
}

/** Unix ms of an ISO string or of a number of ms. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Math.abs(time) <= 8.64e15 ? time : null;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Collects the real paths of regular files, one for each file on disk. Links are followed once. */
function walk(folder: string, seen: Set<string>, paths: Map<string, string>): void {
  if (seen.has(folder)) return;
  seen.add(folder);
  for (const name of readdirSync(folder).sort()) {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const path = realpathSync(join(folder, name));
    if (stat.isDirectory()) walk(path, seen, paths);
    else if (!stat.isFile() || !/\.jsonl?$/.test(name)) continue;
    else if (!paths.has(`${stat.dev}:${stat.ino}`)) paths.set(`${stat.dev}:${stat.ino}`, path);
  }
}
