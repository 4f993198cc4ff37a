import type { SessionManager } from "../../src/session/session-manager.ts";
import { importPeer } from "../helpers/peers.ts";
import { withFirstWriteOf1x } from "./first-write.mjs";

/** pi's class, which has every member of ours. */
export type SessionManagerClass = typeof SessionManager;

/** pi's class as it was released. Use either this or `piWithFirstWriteOf1x` in one test file. */
export async function piAsReleased(): Promise<SessionManagerClass> {
  const pi = await importPeer<{ SessionManager: SessionManagerClass }>("piSessionManagerModule");
  return pi.SessionManager;
}

/** pi's class 0.87.1, writing as pi 1.x does. */
export async function piWithFirstWriteOf1x(): Promise<SessionManagerClass> {
  return withFirstWriteOf1x(await piAsReleased());
}
