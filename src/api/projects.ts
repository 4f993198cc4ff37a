import { type Aliases, aliasesBy, directoriesDue, isAnyForgotten } from "../projects/due.ts";
import type { Database } from "../store/native.ts";

/** Notes which project each working directory is, where that is not done yet, and forgets those of sessions that are gone. */
export async function identifyProjects(
  database: Database,
  { aliases, now = Date.now() }: { aliases: Aliases; now?: number },
): Promise<void> {
  const aliasOf = aliasesBy(aliases);
  const due = directoriesDue(database, aliasOf, now);
  if (due.length === 0 && !isAnyForgotten(database)) return;
  const { identify } = await import("../projects/identify.ts");
  identify(database, due, { aliasOf, now });
}
