import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fc } from "../helpers/drawn.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { type DrawnEntry, drawnEntry, say } from "./drawn-entries.ts";

/** A session as fast-check draws it. */
export interface DrawnSession {
  /** Several sessions may have one id, and then their entries have the same ids too. */
  id: number;
  root: number;
  place: "pi" | "flat" | "subagent" | "array" | "linked" | "linkedFolder";
  project: number;
  version: 1 | 2 | 3;
  /** Which moment it begins at. */
  start: number;
  /** Of one drawn before it, with so many tenths of its entries; null: no fork. */
  fork: { of: number; tenths: number; namesParent: boolean } | null;
  entries: DrawnEntry[];
  /** A writer has died in the middle of a line. */
  torn: boolean;
}

/** Moments at which clocks change, or days, months and years end, somewhere. */
const STARTS = [
  "2026-10-25T00:15:00.000Z",
  "2026-11-01T05:30:00.000Z",
  "2026-03-29T00:59:59.999Z",
  "2026-04-04T14:50:00.000Z",
  "2026-12-31T22:59:59.000Z",
  "2025-02-28T23:59:59.999Z",
  "2011-12-29T21:00:00.000Z",
  "2026-11-20T10:00:00.000Z",
];
export const ZONES = [
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Apia",
];
export const PROJECTS = ["/home/ada/a", "/home/ada/a/b", "/home/ada/ab", "/srv/Ünï"];

const fork = fc.record({ of: fc.nat(7), tenths: fc.nat(10), namesParent: fc.boolean() });
const drawnSession: fc.Arbitrary<DrawnSession> = fc.record({
  id: fc.nat(5),
  root: fc.nat(1),
  place: fc.oneof(
    { weight: 6, arbitrary: fc.constant("pi" as const) },
    fc.constantFrom("flat", "subagent", "array", "linked", "linkedFolder"),
  ),
  project: fc.nat(PROJECTS.length),
  version: fc.oneof({ weight: 3, arbitrary: fc.constant(3 as const) }, fc.constantFrom(1, 2)),
  start: fc.nat(STARTS.length - 1),
  fork: fc.option(fork, { freq: 2 }),
  entries: fc.array(drawnEntry, { maxLength: 14 }),
  torn: fc.boolean(),
});

export const drawnStore = fc.array(drawnSession, { minLength: 1, maxLength: 8 });

export interface Store {
  roots: [string, string];
  files: StoredFile[];
}

export interface StoredFile {
  path: string;
  bytes: Buffer;
}

interface Built extends DrawnSession {
  path: string;
  builder: SessionBuilder;
}

/** Writes the sessions below two roots, and beside them files that are no sessions. */
export function writeDrawn(folder: string, sessions: readonly DrawnSession[]): Store {
  const roots: [string, string] = [join(folder, "one"), join(folder, "two")];
  for (const root of roots) {
    write(join(root, "empty.jsonl"), Buffer.of());
    write(join(root, "subagent-artifacts", "note.jsonl"), Buffer.from('{"type":"note"}\n{"x":1}\n'));
  }
  const built: Built[] = [];
  for (const [number, drawn] of sessions.entries()) {
    const root = roots[drawn.root] ?? roots[0];
    const path = placeOf(drawn, { number, root, elsewhere: join(folder, "elsewhere") });
    built.push({ ...drawn, path, builder: build(drawn, built) });
    if (drawn.place === "linked") symlinkSync(path, join(root, `link-${number}.jsonl`));
    if (drawn.place === "linkedFolder") symlinkSync(dirname(path), join(root, `folder-${number}`));
  }
  const files = built.map(({ path, builder }) => ({
    path,
    bytes: path.endsWith(".json") ? builder.arrayBytes() : builder.bytes(),
  }));
  for (const { path, bytes } of files) write(path, bytes);
  return { roots, files };
}

function write(path: string, bytes: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

function build(drawn: DrawnSession, before: readonly Built[]): SessionBuilder {
  const alike = before.filter(({ version }) => version === drawn.version);
  const origin = drawn.fork === null ? undefined : alike[drawn.fork.of % Math.max(1, alike.length)];
  const builder = session({
    id: `drawn-${drawn.id}`,
    cwd: PROJECTS[drawn.project] ?? "",
    version: drawn.version,
    ...(STARTS[drawn.start] !== undefined && { timestamp: STARTS[drawn.start] }),
    ...(origin !== undefined && drawn.fork?.namesParent === true && { parentSession: origin.path }),
  });
  const entries = origin?.builder.entries ?? [];
  for (const entry of entries.slice(0, Math.ceil((entries.length * (drawn.fork?.tenths ?? 0)) / 10))) {
    const { type, ...fields } = entry;
    builder.entry(String(type), {}, fields);
  }
  for (const entry of drawn.entries) say(builder, entry);
  return drawn.torn ? builder.torn('{"type":"message","id":"to') : builder;
}

interface Somewhere {
  number: number;
  root: string;
  /** A folder below no root. */
  elsewhere: string;
}

function placeOf({ place, id }: DrawnSession, { number, root, elsewhere }: Somewhere): string {
  switch (place) {
    case "pi":
      return join(root, `--home-ada-${number % 3}--`, `2026_${number}_drawn-${id}.jsonl`);
    case "flat":
      return join(root, `flat ${number}.jsonl`);
    case "subagent":
      return join(root, "--home-ada-0--", "parent", "hash", `run-${number}`, "session.jsonl");
    case "array":
      return join(root, "--array--", `${number}.json`);
    case "linked":
      return join(elsewhere, `${number}.jsonl`);
    case "linkedFolder":
      return join(elsewhere, `folder ${number}`, "session.jsonl");
    default:
      return place satisfies never;
  }
}
