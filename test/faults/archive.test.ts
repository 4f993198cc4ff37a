/** Faults at each write, sync, link and rename of a session file's way into the archive, and back. */
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packAway, unpackTo, verifyPacked } from "../../src/files/archive-file.ts";
import { finishMoves, packedFilesOf } from "../../src/files/archive-walk.ts";
import { locateSessionFiles } from "../../src/files/locate.ts";
import { useRegularFile } from "../../src/files/open-file.ts";
import { readRange } from "../../src/files/range.ts";
import { statOpenFile } from "../../src/files/stat.ts";
import { runs, SEED } from "../helpers/fuzz.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest } from "../helpers/processes.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Random } from "../session-manager/random.ts";
import { callsCounted, canPreload, type Fault, runWithFault, startWithFault } from "./fault-shim.ts";

const program = join(import.meta.dirname, "../files/move-file.mjs");
const isBuilt = existsSync(join(import.meta.dirname, "../../build/src/files/archive-file.js"));
const BYTES = (() => {
  const built = session();
  for (let at = 0; at < 400; at++) built.user(`question ${at} `.repeat(60)).assistant();
  return built.bytes();
})();

type How = "pack" | "unpack";

class Place {
  readonly folder = tempDir();
  readonly root = join(this.folder, "sessions");
  readonly original = join(this.root, "p", "a.jsonl");
  readonly packed = join(this.folder, "sessions-archive", "p", "a.jsonl.gz");

  constructor(how: How) {
    mkdirSync(join(this.root, "p"), { recursive: true });
    writeFileSync(this.original, BYTES);
    if (how === "unpack") packAway(this.original, this.packed);
  }

  run(how: How, fault: Omit<Fault, "below">) {
    return runWithFault([program, how, this.original, this.packed], { ...fault, below: this.folder });
  }

  /** What a look at everything finds: each session once, under the path that it had, with all its bytes. */
  expectSession(bytes: Uint8Array = BYTES): void {
    const { files } = locateSessionFiles([this.root]);
    expect(files.map(({ path }) => path)).toEqual([this.original]);
    const [file] = files;
    const size = useRegularFile(file?.realPath ?? "", (fd) => statOpenFile(fd).size) ?? 0;
    expect(readRange(file?.realPath ?? "", 0, size)?.equals(bytes)).toBe(true);
  }

  /** The next one to move anything ends what was begun, and does it. */
  again(how: How): void {
    finishMoves([this.root]);
    this.expectSession();
    const isThere = existsSync(this.original);
    if (how === "pack" && isThere) packAway(this.original, this.packed);
    if (how === "unpack" && !isThere) unpackTo(this.original, this.packed);
    this.expectSession();
    const left = readdirSync(this.folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.(?:part|gz|jsonl)$/.test(name),
    );
    expect(left).toHaveLength(1);
    if (how === "pack") verifyPacked(this.packed);
    else expect(readFileSync(this.original).equals(BYTES)).toBe(true);
  }
}

describe.skipIf(!canPreload || !isBuilt).each<How>(["pack", "unpack"])("at each step of %s", (how) => {
  test("B24, I-8: killed there, nothing is lost and nothing doubled", { timeout: 120_000 }, () => {
    new Place(how).run(how, { at: 0, what: "kill" });
    const calls = callsCounted();
    expect(calls).toBeGreaterThanOrEqual(8);
    for (let at = 1; at <= calls; at++) {
      const place = new Place(how);
      expect([at, place.run(how, { at, what: "kill" }).signal]).toEqual([at, "SIGKILL"]);
      place.expectSession();
      place.again(how);
    }
  });

  test.each(["enospc", "eio", "short"] as const)(
    "B24, I-9: where it fails (%s), nothing is lost",
    { timeout: 120_000 },
    (what) => {
      new Place(how).run(how, { at: 0, what });
      const calls = callsCounted();
      for (let at = 1; at <= calls; at++) {
        const place = new Place(how);
        expect([at, place.run(how, { at, what }).signal]).toEqual([at, null]);
        place.expectSession();
        place.again(how);
      }
    },
  );
});

describe.skipIf(!canPreload || !isBuilt)("a session file that grows", () => {
  const line = `${session({ id: "x" }).user("more").lines().at(-1)}\n`;

  test("B24: at any step keeps what was written, and stays", { timeout: 120_000 }, async () => {
    new Place("pack").run("pack", { at: 0, what: "stop" });
    const calls = callsCounted();
    for (let at = 1; at <= calls; at++) {
      const place = new Place("pack");
      const args = [program, "pack", place.original, place.packed];
      const child = endWithTest(startWithFault(args, { at, what: "stop", below: place.folder }));
      const ended = once(child, "exit");
      await pollUntil(() => isStopped(child.pid ?? 0), { what: `the stop at step ${at}` });
      const isRemoved = !existsSync(place.original);
      appendFileSync(place.original, line);
      child.kill("SIGCONT");
      await ended;
      if (isRemoved) {
        // As with any session that was deleted while it is open in pi; what was archived is all there.
        expect(readFileSync(place.original, "utf8")).toBe(line);
        expect(packedFilesOf(place.root)).toEqual([place.packed]);
        rmSync(place.original);
        place.expectSession();
      } else place.expectSession(Buffer.concat([BYTES, Buffer.from(line)]));
    }
  });
});

const main = join(import.meta.dirname, "../../dist/src/cli/main.js");
const RUNS = runs(4);

/** What a command line of this agent folder prints, while what it does to session files and archive is counted. */
function commandLineOf(agentDir: string) {
  const options = ["--agent-dir", agentDir, "--db", join(tempDir(), "index-v1.db"), "--json"];
  return (argv: readonly string[], fault: Omit<Fault, "below"> = { at: 0, what: "kill" }) =>
    runWithFault([main, ...argv, ...options], { ...fault, below: agentDir });
}

/** Four old sessions. */
function agentFolder(): string {
  const agentDir = tempDir();
  for (let number = 0; number < 4; number++) {
    const built = session({ id: `s${number}` })
      .user(`question ${number}`)
      .assistant();
    const path = built.writeBelow(join(agentDir, "sessions"));
    utimesSync(path, 1_750_000_000 + number, 1_750_000_000 + number);
  }
  return agentDir;
}

const MOVES: readonly (readonly [count: number, argv: readonly string[]])[] = [
  [4, ["archive", "--older", "today", "--yes"]],
  [0, ["restore", "--all"]],
];

test.skipIf(!canPreload || !isBuilt)(
  `B24: archive and restore, killed or out of room anywhere, change neither list nor usage (seed ${SEED})`,
  { timeout: 120_000 + RUNS * 20_000 },
  () => {
    const random = new Random(SEED);
    const agentDir = agentFolder();
    const run = commandLineOf(agentDir);
    const ask = () =>
      [
        ["list", "--sort", "title"],
        ["usage", "session"],
      ].map((argv) => run(argv).stdout.replaceAll('"archived":true', '"archived":false'));
    const before = ask();
    for (let round = 0; round < RUNS; round++) {
      for (const [count, argv] of MOVES) {
        const at = 1 + random.below(60);
        run(argv, { at, what: random.below(2) === 0 ? "kill" : "enospc", times: 3 });
        expect([argv, at, ask()]).toEqual([argv, at, before]);
        expect(run(argv).status).toBe(0);
        expect([argv, at, ask()]).toEqual([argv, at, before]);
        expect(packedFilesOf(join(agentDir, "sessions"))).toHaveLength(count);
      }
    }
    expect(run(["verify"]).status).toBe(0);
  },
);

function isStopped(pid: number): boolean {
  return / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}
