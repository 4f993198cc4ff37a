import { describe } from "vitest";
import type { SessionManager } from "../../src/session/session-manager.ts";
import { importPeer, isMissing } from "../helpers/peers.ts";
import { withFirstWriteOf1x } from "./first-write.mjs";

/** pi's class, which has every member of ours. */
export type SessionManagerClass = typeof SessionManager;

/** A release of pi that ours is compared with. */
export interface Release {
  version: "0.87.1" | "1.6.0";
  /** Its session-manager.js. */
  peer: "piSessionManagerModule" | "newestPiSessionManagerModule";
}

const RELEASES: readonly Release[] = [
  { version: "0.87.1", peer: "piSessionManagerModule" },
  { version: "1.6.0", peer: "newestPiSessionManagerModule" },
];

/** Describes tests once for each release; one that is not installed is skipped. */
export function describeWithEachPi(name: string, tests: (release: Release) => void): void {
  for (const release of RELEASES) {
    describe.skipIf(isMissing(release.peer))(`${name} (pi ${release.version})`, () => tests(release));
  }
}

/** pi's class as it was released. Use either this or `piWithFirstWriteOf1x` in one test file. */
export async function piAsReleased({ peer }: Release): Promise<SessionManagerClass> {
  const pi = await importPeer<{ SessionManager: SessionManagerClass }>(peer);
  return pi.SessionManager;
}

/** pi's class, writing as pi 1.x does, which 0.87.1 has to be taught. */
export async function piWithFirstWriteOf1x(release: Release): Promise<SessionManagerClass> {
  const Pi = await piAsReleased(release);
  return release.version === "0.87.1" ? withFirstWriteOf1x(Pi) : Pi;
}
