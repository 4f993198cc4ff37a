import type { Config } from "../../config/config.ts";
import type { Weekday } from "../../time/calendar.ts";

/** What the thread is told that answers the page's questions. */
export interface AnswerOrders {
  /** Options that say where the index and the sessions are. */
  places: readonly string[];
  home: string;
  cwd: string | undefined;
  /** Unix ms: the moment at which a demo stands; else null. */
  frozenAt: number | null;
  /** Whether sessions may be read where there is no index; where there is one, something else keeps it up to date. */
  sync: boolean;
  reveal: boolean;
  location: Config["location"];
  /** Absolute. */
  roots: string[];
  about: PageFacts;
}

/** What the page has to know to show anything. */
interface PageFacts {
  version: string;
  /** An IANA name. */
  timezone: string;
  weekStart: Weekday;
  /** Whether secrets are shown. */
  reveals: boolean;
  /** Whether a team's database can be asked. */
  hasTeam: boolean;
  /** The user's home directory, for `~`. */
  home: string;
}
