import { SessionDbError } from "../errors.ts";

/** The oldest Node that works; `engines` in package.json names the releases that are supported. */
const OLDEST: readonly [major: number, minor: number] = [20, 19];

/**
 * To be called before a command is loaded: on an older Node, what is missing there would look like a bug here.
 *
 * @throws SessionDbError `node_too_old`
 */
export function assertNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  const hint = `Install Node ${OLDEST.join(".")} or newer.`;
  throw new SessionDbError("node_too_old", `Node ${version} is too old`, { hint });
}
