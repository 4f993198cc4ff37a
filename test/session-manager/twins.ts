import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { SessionManager } from "../../src/session/session-manager.ts";
import type { SessionManagerClass } from "./pi.ts";

/** One of two managers that are led through the same life, with a folder of its own. */
export interface Twin {
  Manager: SessionManagerClass;
  manager: SessionManager;
  /** Below it everything this twin writes. */
  dir: string;
  /** What random ids and the folder are called in comparisons. */
  plain: (value: unknown) => string;
}

export function twinOf(Manager: SessionManagerClass, dir: string): Twin {
  mkdirSync(join(dir, "project"), { recursive: true });
  const manager = Manager.create(join(dir, "project"), join(dir, "sessions"));
  return { Manager, manager, dir, plain: plainWith(dir) };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const SHORT_ID = /(?<=["\s])[0-9a-f]{8}(?=["\s])/g;

/** As JSON, or for bytes as text, with ids numbered in the order in which this twin first showed them. */
export function plainWith(dir: string): (value: unknown) => string {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `id${names.size}`;
    names.set(id, name);
    return name;
  };
  return (value) => {
    const isBytes = Buffer.isBuffer(value);
    const text = isBytes ? value.toString("latin1") : (JSON.stringify(value) ?? "undefined");
    return text
      .replaceAll(isBytes ? Buffer.from(dir).toString("latin1") : dir, "<dir>")
      .replace(UUID, nameOf)
      .replace(SHORT_ID, nameOf);
  };
}

/** What an operation came to: its value, or the message it threw. */
export async function outcome(twin: Twin, operation: (twin: Twin) => unknown): Promise<string> {
  try {
    return twin.plain({ value: await operation(twin) });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return twin.plain({ thrown: error.message });
  }
}

/** What can be asked quickly, as `"method": answer`. */
export function quickAnswers(twin: Twin): Record<string, string> {
  const asked = Object.entries(settledAnswers(twin.manager));
  return Object.fromEntries(asked.map(([name, ask]) => [name, twin.plain(ask())]));
}

/** Every answer of the manager, as `"method": answer`. */
export function answers(twin: Twin): Record<string, string> {
  const { manager } = twin;
  const ids = manager.getEntries().map((entry) => entry.id);
  const sampled = [...new Set([...ids.slice(0, 2), ...ids.slice(-4)])];
  const asked: Record<string, () => unknown> = {
    ...settledAnswers(manager),
    getEntries: () => manager.getEntries(),
    getTree: () => manager.getTree(),
    buildContextEntries: () => manager.buildContextEntries(),
    buildSessionContext: () => manager.buildSessionContext(),
    buildSessionProjection: () => manager.buildSessionProjection(),
    getEntry: () => sampled.map((id) => manager.getEntry(id)),
    getChildren: () => sampled.map((id) => manager.getChildren(id)),
    getBranch: () => sampled.map((id) => manager.getBranch(id)),
    getLabel: () => ids.map((id) => manager.getLabel(id)),
    "getBranch()": () => manager.getBranch(),
    "getEntry(unknown)": () => manager.getEntry("unknown"),
    "getBranch(unknown)": () => manager.getBranch("unknown"),
    'getBranch("")': () => manager.getBranch(""),
  };
  return Object.fromEntries(Object.entries(asked).map(([name, ask]) => [name, twin.plain(ask())]));
}

function settledAnswers(manager: SessionManager): Record<string, () => unknown> {
  return {
    getSessionId: () => manager.getSessionId(),
    getSessionFile: () => manager.getSessionFile(),
    getSessionDir: () => manager.getSessionDir(),
    getCwd: () => manager.getCwd(),
    isPersisted: () => manager.isPersisted(),
    usesDefaultSessionDir: () => manager.usesDefaultSessionDir(),
    getHeader: () => manager.getHeader(),
    getLeafId: () => manager.getLeafId(),
    getLeafEntry: () => manager.getLeafEntry(),
    getSessionName: () => manager.getSessionName(),
  };
}

/** Every file below the twin's folder with its bytes, by name. */
export function files(twin: Twin): Record<string, string> {
  const found = pathsBelow(twin.dir).map((path) => [
    twin.plain(relative(twin.dir, path)),
    twin.plain(readFileSync(path)),
  ]);
  return Object.fromEntries(found);
}

/** Session files in the order of their names, which is that of their making. */
export function sessionFiles(twin: Twin): string[] {
  return pathsBelow(twin.dir).filter((path) => path.endsWith(".jsonl"));
}

function pathsBelow(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).sort();
  return names.map((name) => join(dir, name)).filter((path) => statSync(path).isFile());
}

/** Gives files the same modification times on both sides: their order by time must not depend on the disk. */
export function settleTimes(twin: Twin): void {
  for (const [index, path] of sessionFiles(twin).entries())
    utimesSync(path, 1_700_000_000, 1_700_000_000 + index);
}

/** Changes the bytes of a file from outside. */
export function rewrite(path: string, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, change(readFileSync(path)));
}

/** Where two comparisons first differ, with a little of what stands around it; null where they do not. */
export function difference(ours: Record<string, string>, theirs: Record<string, string>): string | null {
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const [own = "(nothing)", their = "(nothing)"] = [ours[name], theirs[name]];
    if (own === their) continue;
    let at = 0;
    while (own[at] === their[at]) at++;
    const around = (text: string) => text.slice(Math.max(0, at - 80), at + 120);
    return `${name} at ${at}:\n ours ${around(own)}\n pi's ${around(their)}`;
  }
  return null;
}
