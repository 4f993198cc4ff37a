// Appends to a session while its writes may fail, and prints what was not as promised. Runs the compiled program.
//
//   node test/faults/append-with-faults.mjs <session file>
import { readFileSync } from "node:fs";
import { SessionManager } from "../../build/src/session/session-manager.js";

const [path] = process.argv.slice(2);
const manager = SessionManager.open(path);
const memory = () => JSON.stringify([manager.getEntries(), manager.getLeafId()]);
const outcome = { failed: 0, broken: [] };
for (let number = 0; number < 8; number++) {
  const before = [memory(), readFileSync(path)];
  try {
    manager.appendMessage({ role: "user", content: `message ${number} ${"x".repeat(300)}`, timestamp: 1 });
  } catch (error) {
    outcome.failed++;
    if (memory() !== before[0]) outcome.broken.push(`memory after ${error.message}`);
  }
  if (!readFileSync(path).subarray(0, before[1].length).equals(before[1]))
    outcome.broken.push("earlier bytes");
  const read = SessionManager.open(path);
  if (JSON.stringify(read.getEntries()) !== JSON.stringify(manager.getEntries())) {
    outcome.broken.push(`entries after ${number}`);
  }
}
console.log(JSON.stringify(outcome));
