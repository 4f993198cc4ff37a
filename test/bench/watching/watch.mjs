// Watches a tree as a process of its own: `ours` with the daemon's watcher, `chokidar` with chokidar as it comes. Says when
// it is ready what that took; told anything, which files it has heard of since.
//
//   fork("watch.mjs", [who, built, root])
import { join } from "node:path";
import { moduleAt } from "../measure.mjs";
import { memoryMb, watchesOf } from "./process.mjs";

const [who, built, root] = process.argv.slice(2);
const heard = new Set();

/** Both are loaded before the measurement begins. */
const START = {
  ours: async () => {
    const { Watcher } = await moduleAt(join(built, "daemon/watcher.js"));
    return () => {
      const listeners = { onHint: (path) => heard.add(path), onUnclear: () => undefined };
      new Watcher({ roots: [root], isExcluded: () => false }, listeners).checkRoots();
    };
  },
  chokidar: async () => {
    const { default: chokidar } = await import("chokidar");
    return async () => {
      const watcher = chokidar.watch(root, { ignoreInitial: true });
      watcher.on("all", (_event, path) => heard.add(path));
      await new Promise((resolve) => watcher.on("ready", resolve));
    };
  },
};

const start = await START[who]();
const [cpu, memory] = [process.cpuUsage(), memoryMb(process.pid)];
await start();
await settled();
const { user, system } = process.cpuUsage(cpu);
process.on("message", () => {
  process.send({ heard: heard.size });
  heard.clear();
});
process.send({
  ready: true,
  watches: watchesOf(process.pid),
  startMs: (user + system) / 1000,
  memoryMb: memoryMb(process.pid) - memory,
});

/** chokidar is not done with a tree when it says that it is ready: until no more watches come. */
async function settled() {
  for (let before = -1; before !== watchesOf(process.pid); ) {
    before = watchesOf(process.pid);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
