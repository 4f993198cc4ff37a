import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { describeWithEachPi, piAsReleased } from "./pi.ts";

/** A session of version 1, which gains ids, and so bytes, when it is migrated. */
const SAID = ["prune the apple trees", "before the frost", "and the pears", "after the last harvest"];
let agentDir: string;
let path: string;

beforeEach(() => {
  agentDir = join(tempDir(), "agent");
  path = join(agentDir, "sessions", "--home-ada--", "old.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, old(SAID));
  vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
  sync();
});

function old([first = "", second = "", third = "", fourth = ""]: readonly string[]): Buffer {
  const builder = session({ id: "old", version: 1 }).user(first).assistant({ text: second });
  return builder.user(third).assistant({ text: fourth }).bytes();
}

/** Brings the index up to date, as if it had been a while. */
function sync(): void {
  withIndex(join(agentDir, "sessiondb"), (index) =>
    syncAll(index, [join(agentDir, "sessions")], { now: () => Date.now() + 60_000 }),
  );
}

function emptyIndex(): void {
  withIndex(join(agentDir, "sessiondb"), ({ database }) => database.exec("DELETE FROM files"));
}

/** What happens to the file, and its text afterwards where that is another. */
const CHANGES: Record<string, { change: () => unknown; now?: string }> = {
  "migrated by this class": { change: () => SessionManager.open(path) },
  "rewritten with other, longer texts": {
    change: () => writeFileSync(path, old(SAID.map((text) => `${text}, ${text}`))),
    now: SAID.map((text) => `${text}, ${text}`).join(" "),
  },
  "rewritten with shorter texts": {
    change: () => writeFileSync(path, old(["plums", "yes", "cherries", "no"])),
    now: "plums yes cherries no",
  },
  "cut off after its first two messages": {
    change: () =>
      truncateSync(path, readFileSync(path, "utf8").split("\n").slice(0, 3).join("\n").length + 1),
    now: SAID.slice(0, 2).join(" "),
  },
  "appended to": {
    change: () =>
      appendFileSync(path, old(["mulch the roses"]).toString().split("\n").slice(1, 2).join("\n")),
    now: `${SAID.join(" ")} mulch the roses`,
  },
};

describe("what was said in a session, of a list made before its file was", () => {
  test.each(Object.entries(CHANGES))(
    "%s, is as it was then, until the index is brought up to date",
    async (_, { change }) => {
      const [listed] = await SessionManager.listAll();
      await change();
      expect([listed?.firstMessage, listed?.allMessagesText]).toEqual([SAID[0], SAID.join(" ")]);
    },
  );

  test.each(Object.entries(CHANGES))("%s, is whole afterwards", async (_, { change, now }) => {
    const [listed] = await SessionManager.listAll();
    await change();
    sync();
    expect([SAID.join(" "), now]).toContain(listed?.allMessagesText);
  });

  test.each(Object.entries(CHANGES))("%s, is whole without its rows", async (_, { change, now }) => {
    const [listed] = await SessionManager.listAll();
    await change();
    emptyIndex();
    expect(listed?.allMessagesText).toBe(now ?? SAID.join(" "));
  });

  describeWithEachPi("migrated by pi", (release) => {
    test("is what pi's own list says", async () => {
      const Pi = await piAsReleased(release);
      const [listed] = await SessionManager.listAll();
      const [piListed] = await Pi.listAll();
      Pi.open(path);
      sync();
      expect(listed?.allMessagesText).toBe(piListed?.allMessagesText);
    });
  });

  test.each([
    ["frozen", (info: unknown) => Object.freeze(info)],
    ["sealed", (info: unknown) => Object.seal(info)],
  ])("is read where the list was %s", async (_, hold) => {
    const [listed] = await SessionManager.listAll();
    hold(listed);
    const said = [SAID[0], SAID.join(" ")];
    expect([listed?.firstMessage, listed?.allMessagesText]).toEqual(said);
    expect([listed?.firstMessage, listed?.allMessagesText]).toEqual(said);
  });

  test("moved, is as it was then", async () => {
    const [listed] = await SessionManager.listAll();
    renameSync(path, join(dirname(path), "moved.jsonl"));
    sync();
    expect(listed?.allMessagesText).toBe(SAID.join(" "));
  });

  test("deleted, is as it was then until the index lets go of it, and nothing afterwards", async () => {
    const [before, after] = [await SessionManager.listAll(), await SessionManager.listAll()];
    rmSync(path);
    expect(before[0]?.allMessagesText).toBe(SAID.join(" "));
    sync();
    expect([after[0]?.firstMessage, after[0]?.allMessagesText]).toEqual(["(no messages)", ""]);
  });
});
