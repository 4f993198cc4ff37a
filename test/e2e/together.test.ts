import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { Store } from "../indexing/store.ts";

const PROCESSES = 4;
const program = join(import.meta.dirname, "sync-store.mjs");

/** What the program said before it ended. */
function run(store: Store): Promise<string> {
  const child = spawn(process.execPath, [program, store.root, store.indexFolder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  return new Promise((resolve) => child.on("close", () => resolve(output)));
}

test.each(["nothing is there yet", "files have changed"])(
  `I-5: ${PROCESSES} processes that sync at once come to what one comes to, when %s`,
  async (situation) => {
    const store = new Store();
    const picture = { type: "image" as const, mimeType: "image/png", data: "A".repeat(40_000) };
    const write = (version: string) => {
      for (let number = 0; number < 200; number++) {
        const built = session({ id: `s${number}`, timestamp: "2026-01-01T00:00:00.000Z" });
        built.user([{ type: "text", text: `${version} ${number}` }, picture]).assistant();
        built.write(store.path(`${number}.jsonl`));
        if (number % 9 === 0)
          built
            .fork({ id: `f${number}` })
            .user("x")
            .write(store.path(`f/${number}.jsonl`));
      }
    };
    write("first");
    if (situation === "files have changed") {
      store.sync();
      store.feed();
      store.close();
      write("second");
    }
    const outputs = await Promise.all(Array.from({ length: PROCESSES }, () => run(store)));
    expect(outputs).toEqual(Array(PROCESSES).fill("ready\ndone\n"));
    expect(store.dump()).toEqual(store.rebuilt());
  },
);
