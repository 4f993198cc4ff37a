import {
  appendFileSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SessionManager } from "../../src/session/session-manager.ts";
import { fc } from "./drawn.ts";
import { type SessionBuilder, session } from "./session-builder.ts";

/** An event that happens to the files below a sessions root, as fast-check draws it. */
export type FileEvent =
  | { kind: "create"; file: number; seed: number }
  | { kind: "append"; file: number; seed: number }
  | { kind: "tear"; file: number; seed: number; cut: number }
  | { kind: "junk"; file: number; seed: number }
  | { kind: "truncate"; file: number; cut: number }
  | { kind: "flip"; file: number; cut: number; keepTime: boolean }
  | { kind: "rewrite"; file: number; seed: number }
  | { kind: "replace"; file: number; seed: number }
  | { kind: "copy" | "rename" | "fork" | "piFork"; file: number; to: number }
  | { kind: "migrate" | "ours"; file: number }
  | { kind: "otherKind"; file: number }
  | { kind: "delete" | "touch"; file: number };

const FILES = [
  "--a--/one.jsonl",
  "--a--/two.jsonl",
  "--b--/three.jsonl",
  "four.jsonl",
  "--b--/x/run-1/session.jsonl",
];

const file = fc.nat(FILES.length - 1);
const seed = fc.nat(9);
const cut = fc.double({ min: 0, max: 1, noNaN: true });

export const fileEvents: fc.Arbitrary<FileEvent> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("create" as const), file, seed }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("append" as const), file, seed }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("tear" as const), file, seed, cut }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("junk" as const), file, seed }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("truncate" as const), file, cut }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("flip" as const), file, cut, keepTime: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rewrite" as const), file, seed }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("replace" as const), file, seed }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("copy" as const, "rename" as const, "fork" as const, "piFork" as const),
      file,
      to: file,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("delete" as const, "touch" as const), file }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("migrate" as const, "ours" as const), file }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("otherKind" as const), file }) },
);

/** The methods of pi's class that are used. Opening migrates a file of an older version in place. */
export interface Pi {
  SessionManager: {
    open(path: string): unknown;
    forkFrom(path: string, cwd: string, dir: string): { getSessionFile(): string | undefined };
  };
}

/**
 * Makes an event happen. One that is not possible as things stand (appending to a missing file), or that needs pi when
 * it is not given, does nothing.
 */
export function happen(root: string, event: FileEvent, pi?: Pi): void {
  const path = join(root, FILES[event.file] as string);
  mkdirSync(dirname(path), { recursive: true });
  if (event.kind === "create") writeFileSync(path, bytesOf(event.file, event.seed));
  else if (event.kind === "otherKind") takeForOtherKind(path);
  else if (existsSync(path)) change(root, path, event, pi);
}

function change(
  root: string,
  path: string,
  event: Exclude<FileEvent, { kind: "create" | "otherKind" }>,
  pi: Pi | undefined,
): void {
  switch (event.kind) {
    case "append":
      appendFileSync(path, newLines(path, event.seed).join(""));
      break;
    case "tear":
      appendFileSync(path, torn(newLines(path, event.seed).join(""), event.cut));
      break;
    case "junk":
      appendFileSync(path, JUNK[event.seed % JUNK.length] as Uint8Array);
      break;
    case "truncate":
      truncateSync(path, Math.floor(statSync(path).size * event.cut));
      break;
    case "flip":
      flip(path, event.cut, event.keepTime);
      break;
    case "rewrite":
      overwrite(path, bytesOf(event.file + 1, event.seed));
      break;
    case "replace":
      writeFileSync(`${path}.new`, bytesOf(event.file + 2, event.seed));
      renameSync(`${path}.new`, path);
      break;
    case "delete":
      rmSync(path);
      break;
    case "touch":
      utimesSync(path, event.file + 1, event.file + 1);
      break;
    case "copy":
    case "rename":
    case "fork":
      transfer(root, event.kind, path, FILES[event.to] as string);
      break;
    case "piFork":
      if (pi) asPi(() => forkByPi(pi, path, join(root, FILES[event.to] as string)));
      break;
    case "migrate":
      if (pi) asPi(() => void pi.SessionManager.open(path));
      break;
    case "ours":
      asManager(() => appendOurs(path));
      break;
    default:
      event satisfies never;
  }
}

/** Renames a file of lines as if it were an array, which makes it no session; or gives it its own name again. */
function takeForOtherKind(path: string): void {
  const array = path.replace(/l$/, "");
  if (existsSync(path)) renameSync(path, array);
  else if (existsSync(array)) renameSync(array, path);
}

/** Runs `act` with a manager, which refuses a file that is no session; then nothing happens. */
function asManager(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error) || !/not a valid pi session|^Cannot fork/.test(error.message)) throw error;
  }
}

/** As `asManager`; pi does not open a file of version 1 with a line that is a number, either. */
function asPi(act: () => void): void {
  try {
    asManager(act);
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.startsWith("Cannot create property 'id'"))
      throw error;
  }
}

function forkByPi(pi: Pi, path: string, target: string): void {
  const fork = pi.SessionManager.forkFrom(path, "/home/ada/fork", dirname(path)).getSessionFile();
  mkdirSync(dirname(target), { recursive: true });
  if (fork !== undefined && existsSync(fork)) renameSync(fork, target);
}

/** I-11: after an append has returned, the file ends with its line, and every earlier byte is the same as before. */
function appendOurs(path: string): void {
  const manager = SessionManager.open(path);
  const before = readFileSync(path);
  const id = manager.appendMessage({ role: "user", content: "appended by ours", timestamp: 1 });
  const after = readFileSync(path);
  const line = after.subarray(before.length).toString("utf8").trimStart();
  if (
    !after.subarray(0, before.length).equals(before) ||
    !line.endsWith("}\n") ||
    JSON.parse(line).id !== id
  ) {
    throw new TypeError(`I-11: an append to ${path} is not its last line`);
  }
}

const JUNK = [
  Buffer.from("not json\n"),
  Buffer.from("\n\r\n  \n"),
  Buffer.from("5\n[1]\nnull\n"),
  Buffer.from([0, 0, 0, 0x0a]),
  Buffer.from('{"type":"message","message":{"role":"user","content":"no id"}}\r\n'),
  Buffer.from(
    '{"type":"session","version":3,"id":"second","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n',
  ),
];

/** Seeds give sessions of different ages; small ones share ids and times, as copies in forks do. */
function bytesOf(place: number, number: number): Uint8Array {
  if (number === 9) return Buffer.from('{"type":"note"}\n{"x":1}\n');
  const version = number === 7 ? 1 : number === 8 ? 2 : 3;
  const day = String(1 + (number % 4)).padStart(2, "0");
  const built = session({ id: `session-${number}`, timestamp: `2026-03-${day}T10:00:00.000Z`, version });
  return conversation(built, 1 + place).bytes();
}

function conversation(built: SessionBuilder, rounds: number): SessionBuilder {
  for (let round = 0; round < rounds; round++) {
    built.user(`question ${round} 天气 sessionManager`).assistant({ text: `answer é ${round}` });
  }
  if (rounds > 2) built.name(`named ${rounds}`).compaction(`summary of ${rounds}`);
  return built;
}

/** Lines that continue some session. Their ids may equal those already there, which is legal. */
function newLines(path: string, number: number): string[] {
  const salt = statSync(path).size % 7;
  const built = session({ id: `more-${number}-${salt}`, timestamp: "2026-04-01T10:00:00.000Z" });
  conversation(built, 1 + (number % 2));
  if (number % 3 === 0 && built.lastId !== null) built.label(built.lastId, `mark ${number}`);
  return built
    .lines()
    .slice(1)
    .map((line) => `${line}\n`);
}

function torn(text: string, fraction: number): Uint8Array {
  const bytes = Buffer.from(text);
  return bytes.subarray(0, Math.floor(bytes.length * fraction));
}

/** Changes one byte: the size stays the same, and with `keepTime` also the time of modification. */
function flip(path: string, fraction: number, keepTime: boolean): void {
  const { size, atime, mtime } = statSync(path);
  if (size === 0) return;
  const fd = openSync(path, "r+");
  writeSync(fd, fraction < 0.5 ? "7" : "z", Math.min(size - 1, Math.floor(size * fraction)));
  closeSync(fd);
  if (keepTime) utimesSync(path, atime, mtime);
}

/** Writes the file in place, keeping its inode, as pi's own migration does. */
function overwrite(path: string, bytes: Uint8Array): void {
  truncateSync(path, 0);
  appendFileSync(path, bytes.subarray(0, bytes.length / 2));
  appendFileSync(path, bytes.subarray(bytes.length / 2));
}

function transfer(root: string, kind: "copy" | "rename" | "fork", path: string, name: string): void {
  const target = join(root, name);
  if (target === path) return;
  mkdirSync(dirname(target), { recursive: true });
  if (kind === "copy") copyFileSync(path, target);
  if (kind === "rename") renameSync(path, target);
  if (kind === "fork") writeFileSync(target, forkOf(path));
}

function forkOf(path: string): string {
  const [, ...lines] = readFileSync(path, "utf8").split("\n");
  const header = session({
    id: "fork",
    timestamp: "2026-05-01T10:00:00.000Z",
    parentSession: path,
  }).lines()[0];
  return [header, ...lines].join("\n");
}
