import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runs } from "../helpers/fuzz.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { Store } from "../indexing/store.ts";

const FILES = 240;
const KILLS = runs(20);
const program = join(import.meta.dirname, "sync-store.mjs");
/** Makes a file some hundredth of a step long, and costs next to nothing to search. */
const PICTURE = { type: "image" as const, mimeType: "image/png", data: "A".repeat(40_000) };

function conversation(id: string, words: string): SessionBuilder {
  const built = session({ id, timestamp: "2026-01-01T00:00:00.000Z" });
  built.user([{ type: "text", text: words }, PICTURE]).assistant({ text: `answer to ${words}` });
  return built.assistant({ toolCalls: [{ name: "read", arguments: { path: id } }] }).toolResult("out");
}

/** What happens to the files before the `round`-th process is started. */
function change(store: Store, round: number): void {
  for (let number = 0; number < FILES; number++) {
    const path = store.path(`p${number % 7}/${number}.jsonl`);
    const turn = (number + 7 * round) % 20;
    if (round === 0 || turn < 9) conversation(`s${number}`, `words ${round}`).write(path);
    else if (turn === 9)
      conversation(`s${number}`, "x")
        .fork({ id: `f${number}` })
        .user("fork")
        .write(path);
    else if (turn === 10) rmSync(path, { force: true });
    else if (turn < 14 && existsSync(path)) {
      const [, line] = session({ id: `${round}` })
        .user(`more ${round}`)
        .lines();
      appendFileSync(path, `${line}\n`);
    }
  }
}

interface Ended {
  /** It came to its end before it was killed. */
  done: boolean;
  /** From its first word to its last, in ms. */
  took: number;
}

/** Starts the program and kills it so many ms after it has begun; never when null. */
function runAndKill(store: Store, after: number | null): Promise<Ended> {
  const child: ChildProcess = spawn(process.execPath, [program, store.root, store.indexFolder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  let begun = performance.now();
  return new Promise((resolve) => {
    child.stdout?.on("data", (chunk) => {
      if (output === "") begun = performance.now();
      if (output === "" && after !== null) setTimeout(() => child.kill("SIGKILL"), after);
      output += String(chunk);
    });
    child.on("close", () => resolve({ done: output.endsWith("done\n"), took: performance.now() - begun }));
  });
}

test(`D1, D19, I-8: an index whose process is killed ${KILLS} times comes to what a rebuild gives`, {
  timeout: 300_000,
}, async () => {
  const store = new Store();
  change(store, 0);
  const { took } = await runAndKill(store, null);
  const outcomes: boolean[] = [];
  for (let round = 1; round <= KILLS; round++) {
    change(store, round);
    const { done } = await runAndKill(store, (took * (round - 0.5)) / KILLS);
    outcomes.push(done);
    if (round % 4 > 0) continue;
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
    expect(store.index.database.pragma("integrity_check", { simple: true })).toBe("ok");
    store.close();
  }
  expect(outcomes).toContain(false);
});
