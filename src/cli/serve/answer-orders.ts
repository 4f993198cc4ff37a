import type { Config } from "../../config/config.ts";
import type { PageFacts } from "../../serve/page-routes.ts";

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
