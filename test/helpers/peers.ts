import { chmodSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Where `test/peers/install.mjs` puts the programs that tests compare with. */
export const peersDir = join(import.meta.dirname, "..", "peers");
const modules = join(peersDir, "node_modules");

/** File paths; import a module with `pathToFileURL(path).href`, or through `importPeer`. */
export const peers = {
  /** session-manager.js of pi 0.87.1, the reference; it can be imported alone on Node 20. */
  piSessionManagerModule: join(modules, "@earendil-works/pi-coding-agent/dist/core/session-manager.js"),
  /** That of pi 1.6.0, the newest; it can be, too, although the rest of that release needs Node 22.19. */
  newestPiSessionManagerModule: join(modules, "pi-1.6/dist/core/session-manager.js"),
  /** What the same release tells people of their prompt cache. */
  newestPiCacheModule: join(modules, "pi-1.6/dist/core/cache-stats.js"),
  /** How the same release, that of 0.87.1 and that of 0.73.1 price a request: `calculateCost`. */
  newestPiPrices: join(modules, "pi-1.6/node_modules/@earendil-works/pi-ai/dist/models.js"),
  piPrices: join(modules, "@earendil-works/pi-ai/dist/models.js"),
  oldPiPrices: join(modules, "@mariozechner/pi-ai/dist/models.js"),
  /** The programs of these releases, as `pi` on PATH leads to them. */
  newestPi: join(modules, "pi-1.6/dist/bundle/cli.js"),
  pi: join(modules, "@earendil-works/pi-coding-agent/dist/cli.js"),
  oldPi: join(modules, "@mariozechner/pi-coding-agent/dist/cli.js"),
  /** The class around a session in the same release, with `getSessionStats`. */
  piAgentSessionModule: join(modules, "@earendil-works/pi-coding-agent/dist/core/agent-session.js"),
  /** The whole agent, 0.73.1: `createAgentSession`, `SessionManager` and the rest. */
  piAgentModule: join(modules, "@mariozechner/pi-coding-agent/dist/index.js"),
  /** The model layer of that agent, with `registerFauxProvider`. */
  piAiModule: join(modules, "@mariozechner/pi-ai/dist/index.js"),
  /** The ccusage program, for Linux x64 only. Run it by the path that `ccusageCommand()` gives. */
  ccusage: join(modules, "@ccusage/ccusage-linux-x64/bin/ccusage"),
} as const;

export type PeerName = keyof typeof peers;

export function isPresent(name: PeerName): boolean {
  return existsSync(peers[name]);
}

/**
 * For `describe.skipIf(isMissing("piSessionManagerModule"))(...)`: true, with a message, if a peer is not installed.
 * Under CI=true it throws for a missing peer that could be installed, so that no run passes by skipping tests.
 */
export function isMissing(...names: PeerName[]): boolean {
  const missing = names.filter((name) => !isPresent(name));
  if (missing.length === 0) return false;
  const message = `peers missing: ${missing.join(", ")}; run: node test/peers/install.mjs`;
  if (process.env.CI === "true" && missing.some(runsHere)) throw new Error(message);
  console.warn(`skipped, ${message}`);
  return true;
}

/** Imports the module of a peer. The caller declares the shape it relies on, because pi is not a dependency. */
export async function importPeer<Shape>(name: Exclude<PeerName, "ccusage">): Promise<Shape> {
  return (await import(pathToFileURL(peers[name]).href)) as Shape;
}

/** The path of ccusage. The file is made executable if need be: npm keeps its mode in the archive, where it is not. */
export function ccusageCommand(): string {
  if ((statSync(peers.ccusage).mode & 0o111) !== 0o111) chmodSync(peers.ccusage, 0o755);
  return peers.ccusage;
}

function runsHere(name: PeerName): boolean {
  return name !== "ccusage" || (process.platform === "linux" && process.arch === "x64");
}
