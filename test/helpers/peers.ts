import { chmodSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Where `test/peers/install.mjs` puts the programs that tests compare with. */
export const peersDir = join(import.meta.dirname, "..", "peers");
const modules = join(peersDir, "node_modules");

/** File paths; import a module with `pathToFileURL(path).href`, or through `importPeer`. */
export const peers = {
  /** The oracle: session-manager.js of pi 0.87.1, which imports on its own on Node 20. */
  piSessionManagerModule: join(modules, "@earendil-works/pi-coding-agent/dist/core/session-manager.js"),
  /** Of the same release the class around a session, with `getSessionStats`. */
  piAgentSessionModule: join(modules, "@earendil-works/pi-coding-agent/dist/core/agent-session.js"),
  /** The whole agent, 0.73.1: `createAgentSession`, `SessionManager` and the rest. */
  piAgentModule: join(modules, "@mariozechner/pi-coding-agent/dist/index.js"),
  /** The model layer of that agent, with `registerFauxProvider`. */
  piAiModule: join(modules, "@mariozechner/pi-ai/dist/index.js"),
  /** The ccusage program, for Linux x64 only. Run it by the path `ccusageCommand()` gives. */
  ccusage: join(modules, "@ccusage/ccusage-linux-x64/bin/ccusage"),
} as const;

export type PeerName = keyof typeof peers;

export function isPresent(name: PeerName): boolean {
  return existsSync(peers[name]);
}

/**
 * For `describe.skipIf(isMissing("piSessionManagerModule"))(...)`: true, with a message, if a peer is not installed.
 * Under CI=true a peer that could be here must be here, so that no run passes by skipping: it throws.
 */
export function isMissing(...names: PeerName[]): boolean {
  const missing = names.filter((name) => !isPresent(name));
  if (missing.length === 0) return false;
  const message = `peers missing: ${missing.join(", ")}; run: node test/peers/install.mjs`;
  if (process.env.CI === "true" && missing.some(runsHere)) throw new Error(message);
  console.warn(`skipped, ${message}`);
  return true;
}

/** The module behind a peer. The caller names the shape it relies on, because pi is not a dependency. */
export async function importPeer<Shape>(name: Exclude<PeerName, "ccusage">): Promise<Shape> {
  return (await import(pathToFileURL(peers[name]).href)) as Shape;
}

/** The path of ccusage, made executable if need be: npm keeps the mode of the archive, where the bit is not set. */
export function ccusageCommand(): string {
  if ((statSync(peers.ccusage).mode & 0o111) !== 0o111) chmodSync(peers.ccusage, 0o755);
  return peers.ccusage;
}

function runsHere(name: PeerName): boolean {
  return name !== "ccusage" || (process.platform === "linux" && process.arch === "x64");
}
