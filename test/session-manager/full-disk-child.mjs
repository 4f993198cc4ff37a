// Run as `node full-disk-child.mjs MODULE DIR` with DIR on a small disk: fills it with a session, and prints what happened.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [module, dir] = process.argv.slice(2);
const { SessionManager } = await import(pathToFileURL(module).href);

const ballast = join(dir, "ballast");
writeFileSync(ballast, Buffer.alloc(40_000));
const manager = SessionManager.create(dir, dir);
const say = (length) => manager.appendMessage({ role: "user", content: "x".repeat(length), timestamp: 1 });
const memory = () => JSON.stringify([manager.getEntries(), manager.getLeafId()]);
const file = () => readFileSync(manager.getSessionFile(), "utf8");

say(10);
const codes = new Set();
let [memoryKept, fileKept] = [true, true];
for (let step = 0; step < 60; step++) {
  const before = [memory(), file()];
  try {
    say(5000);
  } catch (error) {
    codes.add(error.code === "io" ? "ENOSPC" : error.code);
    memoryKept &&= memory() === before[0];
    fileKept &&= file() === before[1];
  }
}
rmSync(ballast);
say(10);
const read = SessionManager.open(manager.getSessionFile()).getEntries();
const goesOn = JSON.stringify(read) === JSON.stringify(manager.getEntries());
console.log(JSON.stringify({ codes: [...codes], memoryKept, fileKept, goesOn }));
