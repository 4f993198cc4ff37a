import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionManager } from "../../../src/session/session-manager.ts";
import type { Random } from "../random.ts";
import { rewrite, sessionFiles, settleTimes, type Twin } from "../twins.ts";
import { drawId, type Maker, maybe } from "./operation.ts";

/** Moves of the leaf, and everything that begins, opens, finds or forks a session. */
export const sessions: Record<string, Maker> = {
  branch: [
    8,
    (random) => {
      const target = drawId(random);
      return ({ manager }) => manager.branch(target(manager));
    },
  ],
  resetLeaf: [
    2,
    () =>
      ({ manager }) =>
        manager.resetLeaf(),
  ],
  createBranchedSession: [
    4,
    (random) => {
      const target = drawId(random);
      return ({ manager }) => manager.createBranchedSession(target(manager));
    },
  ],
  newSession: [
    1,
    (random, step) => {
      const id = random.pick([undefined, `named-${step}`, "../escape", "", "trailing."]);
      const parentSession = maybe(random, "/parent.jsonl");
      const given = { ...(id === undefined ? {} : { id }), ...(parentSession ? { parentSession } : {}) };
      const options = random.below(3) === 0 ? undefined : given;
      return ({ manager }) => manager.newSession(options);
    },
  ],
  setSessionFile: [
    2,
    (random, step) => {
      const share = random.next();
      const isNew = random.below(4) === 0;
      return (twin) =>
        twin.manager.setSessionFile(isNew ? join(twin.dir, `explicit-${step}.jsonl`) : fileAt(twin, share));
    },
  ],
  "setSessionFile of no session": [1, () => refuseAndReturn],
  open: [
    4,
    (random) => {
      const share = random.next();
      const [ownDir, otherCwd] = [random.below(2) === 0, random.below(3) === 0];
      return (twin) => {
        const sessionDir = ownDir ? undefined : join(twin.dir, "sessions");
        const cwd = otherCwd ? join(twin.dir, "elsewhere") : undefined;
        return use(twin, twin.Manager.open(fileAt(twin, share), sessionDir, cwd));
      };
    },
  ],
  "open after a torn append": [2, (random) => openDamaged(random, (bytes) => Buffer.concat([bytes, TORN]))],
  "open without the last newline": [1, (random) => openDamaged(random, (bytes) => bytes.subarray(0, -1))],
  "open an empty file": [
    1,
    (_random, step) => (twin) => {
      const path = join(twin.dir, `empty-${step}.jsonl`);
      writeFileSync(path, "");
      return use(twin, twin.Manager.open(path, join(twin.dir, "sessions")));
    },
  ],
  forkFrom: [
    1,
    (random, step) => {
      const share = random.next();
      const id = random.pick([undefined, `fork-${step}`, "/bad"]);
      return (twin) => {
        const [target, dir] = [join(twin.dir, "project"), join(twin.dir, "sessions")];
        return use(
          twin,
          twin.Manager.forkFrom(fileAt(twin, share), target, dir, id === undefined ? {} : { id }),
        );
      };
    },
  ],
  continueRecent: [
    1,
    (random) => {
      const cwd = random.pick(["project", "elsewhere"]);
      return (twin) => {
        settleTimes(twin);
        return use(twin, twin.Manager.continueRecent(join(twin.dir, cwd), join(twin.dir, "sessions")));
      };
    },
  ],
  findById: [
    1,
    (random) => {
      const isUnknown = random.below(3) === 0;
      return ({ Manager, manager, dir }) => {
        const id = isUnknown ? "unknown" : manager.getSessionId();
        return Manager.findById(join(dir, "project"), id, join(dir, "sessions"));
      };
    },
  ],
  list: [
    1,
    () =>
      ({ Manager, dir }) =>
        Manager.list(join(dir, "project"), join(dir, "sessions")),
  ],
  listAll: [
    1,
    () =>
      ({ Manager, dir }) =>
        Manager.listAll(join(dir, "sessions")),
  ],
  inMemory: [1, () => visitMemory],
};

const TORN = Buffer.from('{"type":"message","id":"to');

function use(twin: Twin, manager: SessionManager): string | undefined {
  twin.manager = manager;
  return manager.getSessionFile();
}

function fileAt(twin: Twin, share: number): string {
  const files = sessionFiles(twin);
  return files[Math.floor(share * files.length)] ?? join(twin.dir, "none.jsonl");
}

/** Both refuse; pi then appends to the file all the same, so it is led back to where it was. */
function refuseAndReturn(twin: Twin): void {
  const path = join(twin.dir, "no-session.txt");
  writeFileSync(path, "not a session\n");
  const before = twin.manager.getSessionFile();
  try {
    twin.manager.setSessionFile(path);
  } finally {
    if (before && sessionFiles(twin).includes(before)) twin.manager.setSessionFile(before);
    else twin.manager.newSession();
  }
}

function openDamaged(random: Random, change: (bytes: Buffer) => Buffer) {
  const share = random.next();
  return (twin: Twin) => {
    const path = fileAt(twin, share);
    if (!path.endsWith("none.jsonl")) rewrite(path, change);
    const opened = use(twin, twin.Manager.open(path, join(twin.dir, "sessions")));
    // pi mends the last line as it opens, we when we append.
    twin.manager.appendThinkingLevelChange("low");
    return opened;
  };
}

/** A session in memory that continues this one, with an append, a branch and a new session. */
function visitMemory({ Manager, manager }: Twin): unknown {
  const entries = structuredClone(manager.getEntries());
  const memory = Manager.inMemory(manager.getCwd(), { id: "in-memory" }, entries);
  const first = memory.getEntries()[0]?.id ?? "";
  const branched =
    memory.getLeafId() === null ? null : memory.createBranchedSession(memory.getLeafId() ?? "");
  const info = memory.appendSessionInfo("memory");
  const seen = [memory.getHeader(), memory.getEntries(), memory.getLeafId(), memory.getEntry(first)];
  return [
    branched,
    info,
    seen,
    memory.newSession({ id: "next" }),
    memory.getSessionFile(),
    memory.getEntries(),
  ];
}
