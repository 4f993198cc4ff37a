import type { ApiContext } from "../api/api-context.ts";
import type { Context } from "./command-line/command.ts";
import { tell } from "./output/tell-note.ts";

/** What a command line hands to the api: its clocks and signals, bars for progress, and words for notes on stderr. */
export function apiOf({ config, world, talk }: Context): ApiContext {
  return {
    config,
    clock: world.steady,
    interruptible: (work) => world.interruptible(work),
    progress: async () => {
      // Loaded here: usually nothing is new, and then nothing is drawn.
      const { ProgressBars } = await import("./terminal/progress.ts");
      return new ProgressBars(talk, world);
    },
    note: (note) => tell(talk, note),
    daemon: { runtimeDir: world.env.XDG_RUNTIME_DIR, patienceMs: world.daemonPatienceMs },
  };
}
