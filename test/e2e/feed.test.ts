import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { pollUntil } from "../helpers/poll-until.ts";
import { endNow, endWithTest, finished } from "../helpers/processes.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** A program that keeps what the feed has told it, and goes on from there each time it begins. */
class Reader {
  readonly entries = new Map<number, string>();
  revision: string | null = null;
  readonly #agentDir: string;
  #child: ChildProcess | null = null;
  #rest = "";

  constructor(agentDir: string) {
    this.#agentDir = agentDir;
  }

  begin(): void {
    const since = this.revision === null ? [] : ["--since", this.revision];
    this.#rest = "";
    this.#child = endWithTest(run(this.#agentDir, ["feed", "--follow", ...since]));
    this.#child.stdout?.on("data", (chunk) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line));
    });
  }

  async kill(): Promise<void> {
    if (this.#child !== null) await endNow(this.#child);
  }

  #take(change: {
    kind: string;
    key: number;
    entryId: string;
    firstKey: number;
    lastKey: number;
    revision: string;
  }): void {
    if (change.kind === "restart") this.entries.clear();
    if (change.kind === "entry") this.entries.set(change.key, change.entryId);
    if (change.kind === "removed")
      for (let key = change.firstKey; key <= change.lastKey; key++) this.entries.delete(key);
    this.revision = change.revision;
  }
}

function run(agentDir: string, argv: string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, "--agent-dir", agentDir, ...argv], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, HOME: agentDir, XDG_CONFIG_HOME: agentDir },
  });
}

const line = (number: number) =>
  `${JSON.stringify({ type: "message", id: `id-${number}`, parentId: null, message: { role: "user", content: `n ${number}` } })}\n`;

describe("a reader of the feed", () => {
  test("has what the index has after thousands of lines a second, kills, and a rebuild", async () => {
    const agentDir = tempDir();
    const path = session({ id: "busy" }).user("x").writeBelow(join(agentDir, "sessions"));
    const reader = new Reader(agentDir);
    reader.begin();
    await pollUntil(() => reader.entries.size === 1);
    for (let second = 0; second < 4; second++) {
      for (let burst = 0; burst < 10; burst++) {
        const first = second * 5000 + burst * 500;
        appendFileSync(path, Array.from({ length: 500 }, (_, at) => line(first + at)).join(""));
        await pause(50);
      }
      await reader.kill();
      if (second === 1) await finished(run(agentDir, ["sync", "--rebuild"]));
      reader.begin();
    }
    await pollUntil(() => reader.entries.size === 20_001);
    const asked = run(agentDir, [
      "sql",
      "--json",
      "--limit",
      "0",
      "SELECT key, entry_id FROM entries ORDER BY key",
    ]);
    const rows = JSON.parse((await finished(asked)).stdout) as { key: number; entry_id: string }[];
    expect([...reader.entries].sort(([a], [b]) => a - b)).toEqual(
      rows.map(({ key, entry_id }) => [key, entry_id]),
    );
    await reader.kill();
  });

  test("gets nothing where there is nothing", async () => {
    const { code, stdout } = await finished(run(tempDir(), ["feed"]));
    expect([code, stdout]).toEqual([0, ""]);
  });

  test("gets every line once where it does not follow, and then nothing until there is more", async () => {
    const agentDir = tempDir();
    const path = session({ id: "calm" }).user("x").writeBelow(join(agentDir, "sessions"));
    const feed = async (...argv: string[]) => {
      const { code, stdout } = await finished(run(agentDir, ["feed", ...argv]));
      expect(code).toBe(0);
      return stdout
        .trim()
        .split("\n")
        .map((each) => JSON.parse(each));
    };
    const all = await feed();
    expect(all).toMatchObject([{ kind: "entry", handle: "calm:2" }, { kind: "current" }]);
    const since = all.at(-1).revision;
    expect(await feed("--since", since)).toEqual([{ kind: "current", revision: since }]);
    expect(await feed("--since", "now")).toEqual([{ kind: "current", revision: since }]);
    appendFileSync(path, line(1));
    expect(await feed("--since", since)).toMatchObject([
      { kind: "entry", entryId: "id-1" },
      { kind: "current" },
    ]);
  });
});
