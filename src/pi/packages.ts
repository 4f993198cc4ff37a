import type { Tui } from "../panels/screen.ts";

/** pi's own, which writes a name as `/resume` does. */
interface SessionManagers {
  open(path: string): { appendSessionInfo(name: string): unknown };
}

/** pi's terminal library, which pi provides to extensions. It is loaded only when something is drawn. */
export function loadTui(): Promise<Tui> {
  return loadOfPi("pi-tui");
}

export async function loadSessionManager(): Promise<SessionManagers> {
  return (await loadOfPi<{ SessionManager: SessionManagers }>("pi-coding-agent")).SessionManager;
}

/** A package of pi's, by its name since 0.74, or the one before. */
async function loadOfPi<Package>(name: string): Promise<Package> {
  let problem: unknown;
  for (const owner of ["@earendil-works", "@mariozechner"]) {
    try {
      return await import(`${owner}/${name}`);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}
