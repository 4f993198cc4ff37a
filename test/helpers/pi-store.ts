import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peersDir } from "./peers.ts";

export interface PiStoreOptions {
  sessions: number;
  projects?: number;
  /** The same options give the same bytes, except for the folder's own path in `parentSession`. */
  seed?: number;
  /** How many questions with answers a session has; 3 by default. */
  exchanges?: number;
  /** First moment of the first session, ISO 8601. */
  start?: string;
  /** Where pi writes; a new temporary folder by default. */
  agentDir?: string;
}

export interface PiStoreSession {
  file: string;
  cwd: string;
  /**
   * A name of test/peers/pi/kinds.mjs: plain, tools, branches, labels, compaction, troubles, fork, branchOff, in turn.
   */
  kind: string;
  /** A word in the first message of this session's own conversation, and in copies of that. */
  marker: string;
}

export interface PiStore {
  agentDir: string;
  sessionsDir: string;
  /** In the order they were begun. */
  sessions: PiStoreSession[];
  remove(): void;
}

/**
 * Makes pi 0.73.1 write a store. Takes about a second for 100 sessions.
 * Needs the peer `piAgentModule`: use it under `describe.skipIf(isMissing("piAgentModule"))`.
 */
export function writePiStore(options: PiStoreOptions): PiStore {
  const agentDir = options.agentDir ?? mkdtempSync(join(tmpdir(), "pi-store-"));
  const written = execFileSync(
    process.execPath,
    [join(peersDir, "pi-writer.mjs"), JSON.stringify({ ...options, agentDir })],
    { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
  );
  const { sessions } = JSON.parse(written) as { sessions: PiStoreSession[] };
  return {
    agentDir,
    sessionsDir: join(agentDir, "sessions"),
    sessions,
    remove: () => rmSync(agentDir, { recursive: true, force: true }),
  };
}
