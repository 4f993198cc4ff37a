import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

type Lists = Readonly<Record<string, Readonly<Record<string, object>>>>;

/**
 * Puts a pi into a folder as npm does, as far as its list of models: `costs` by provider and model. Returns the folder of its
 * program, for PATH.
 */
export function installPi(folder: string, costs: Lists): string {
  const modules = join(folder, "lib", "node_modules", "@earendil-works");
  const program = join(modules, "pi-coding-agent", "dist", "cli.js");
  const data = join(
    modules,
    "pi-coding-agent",
    "node_modules",
    "@earendil-works",
    "pi-ai",
    "dist",
    "providers",
    "data",
  );
  for (const each of [dirname(program), data, join(folder, "bin")]) mkdirSync(each, { recursive: true });
  writeFileSync(program, "#!/usr/bin/env node\n");
  symlinkSync(program, join(folder, "bin", "pi"));
  writeFileSync(join(data, "..", "..", "..", "package.json"), JSON.stringify({ version: "1.2.3" }));
  for (const [provider, models] of Object.entries(costs)) {
    const listed = Object.entries(models).map(([id, cost]) => [
      `chat:${id}`,
      { id, type: "chat", provider, cost },
    ]);
    writeFileSync(join(data, `${provider}.json`), JSON.stringify({ "some-api": Object.fromEntries(listed) }));
  }
  return join(folder, "bin");
}

/** Dollars per million tokens. */
export function costing(input: number, more: object = {}): object {
  return { input, output: input * 5, cacheRead: input / 10, cacheWrite: input * 1.25, ...more };
}
