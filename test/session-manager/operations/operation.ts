import type { SessionManager } from "../../../src/session/session-manager.ts";
import type { Random } from "../random.ts";
import type { Twin } from "../twins.ts";

/** One step of both lives. Whatever is random in it was drawn before, so that both do the same. */
export type Operation = (twin: Twin) => unknown;

/** How often an operation is drawn compared with the others, and how it is drawn. */
export type Maker = [weight: number, draw: (random: Random, step: number) => Operation];

/** Picks an entry's id by a share of 1, so that both twins pick the same; sometimes one that does not exist. */
export function drawId(random: Random): (manager: SessionManager) => string {
  const share = random.next();
  const isWrong = random.below(12) === 0;
  return (manager) => {
    const entries = manager.getEntries();
    return isWrong ? "nowhere" : (entries[Math.floor(share * entries.length)]?.id ?? "nothing");
  };
}

/** Something, or nothing half of the time. */
export function maybe<T>(random: Random, value: T): T | undefined {
  return random.below(2) === 0 ? value : undefined;
}
