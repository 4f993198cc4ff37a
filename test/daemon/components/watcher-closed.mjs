// Closes watchers on a root, at one moment or another of their beginning. Says which timers they leave behind that
// keep a process alive, as a list in JSON. Runs the compiled program.
//
//   node test/daemon/components/watcher-closed.mjs <root>
import { setImmediate } from "node:timers/promises";
import { Watcher } from "../../../build/daemon/components/watcher.js";

const options = { roots: [process.argv[2]], isExcluded: () => false };
const listeners = { onHint: () => undefined, onUnclear: () => undefined };
for (let turns = 0; turns < 50; turns++) {
  const watcher = new Watcher(options, listeners);
  watcher.checkRoots();
  for (let turn = 0; turn < turns; turn++) await setImmediate();
  await watcher.close();
}
console.log(JSON.stringify(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout")));
