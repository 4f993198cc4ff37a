/** Imported before the program: a daemon says which process it is in the file that SLOW_PID names, and never begins. */
import { renameSync, writeFileSync } from "node:fs";

if (process.argv.includes("run")) {
  const path = process.env.SLOW_PID;
  // Written elsewhere first, so that it is there as a whole.
  writeFileSync(`${path}-new`, String(process.pid));
  renameSync(`${path}-new`, path);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
  process.exit();
}
