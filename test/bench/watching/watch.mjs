// Watches a tree in a process of its own: `ours` with the daemon's watcher, `chokidar` with plain chokidar. When it is
// ready it says what that took; sent anything, it answers with the files it has heard of since.
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
    const { Watcher } = await moduleAt(join(built, "daemon/components/watcher.js"));
    return () => {
      const listeners = { onChange: (path) => heard.add(path), onUnclear: () => undefined };
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

/** Waits until no more watches are added: chokidar says that it is ready before it is done with a tree. */
async function settled() {
  for (let before = -1; before !== watchesOf(process.pid); ) {
    before = watchesOf(process.pid);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
