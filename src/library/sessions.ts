import { type LabelledEntry, type LabelOptions, listLabels as labels } from "../query/labels.ts";
import { LABEL_SORTS, SESSION_SORT_KEYS, type SessionList, TOUCH_SORTS } from "../query/results.ts";
import { type NameOptions, resolveSession as resolve } from "../query/session-name.ts";
import { type ListOptions, listSessions as list } from "../query/sessions.ts";
import { type Status, type StatusOptions, readStatus as status } from "../query/status.ts";
import { type Touches, type TouchOptions, findTouches as touches } from "../query/touches.ts";
import type { Index } from "../store/open.ts";
import type { SessionRef } from "../store/tables/session-rows.ts";
import {
  arrayOf,
  callback,
  count,
  flag,
  path as isPath,
  oneOf,
  options as optionsOf,
  record,
  text,
  time,
  wholeTime,
  withAnswersChecked,
} from "./asked.ts";
import { inIndex } from "./opened.ts";
import { normalized, SCOPE, TOUCH_SCOPE } from "./scope.ts";

const checkList = optionsOf({
  ...SCOPE,
  sort: record({ key: oneOf(SESSION_SORT_KEYS), descending: flag }),
  limit: count,
});
const checkNaming = optionsOf({ roots: SCOPE.roots, toPaths: callback });
const checkLabels = optionsOf({ ...SCOPE, sort: oneOf(LABEL_SORTS), limit: count });
const checkTouches = optionsOf({ ...TOUCH_SCOPE, home: isPath, sort: oneOf(TOUCH_SORTS) });
const checkStatus = optionsOf({ now: wholeTime, since: time, roots: SCOPE.roots });

/**
 * Sessions with their totals, by default the last active first, from the index as it stands. `total` counts all that
 * match, whatever the limit; money is US dollars, times are ISO 8601.
 *
 * @throws SessionDbError `usage` for options that make no sense, `busy`, `index_corrupt`, `io`
 */
export function listSessions(index: Index, options: ListOptions = {}): SessionList {
  checkList("options", options);
  return inIndex(index, () => list(index, normalized(options)));
}

/**
 * The session a name stands for: an absolute path, an id, any unique beginning of an id, or `latest` (the one that
 * was active last). A whole id wins over ids that begin with it.
 *
 * @throws SessionDbError `not_found`; `ambiguous`, whose `choices` are lines for people about the first ten candidates;
 *   `usage` for an empty name
 */
export function resolveSession(index: Index, name: string, options: NameOptions = {}): SessionRef {
  text("name", name);
  checkNaming("options", options);
  const asking = withAnswersChecked("options", options, { toPaths: arrayOf(isPath) });
  return inIndex(index, () => resolve(index, name, normalized(asking)));
}

/**
 * The labels in force, newest first, each with the entry it stands on.
 *
 * @throws SessionDbError `usage` for options that make no sense, `busy`, `index_corrupt`, `io`
 */
export function listLabels(index: Index, options: LabelOptions = {}): LabelledEntry[] {
  checkLabels("options", options);
  return inIndex(index, () => labels(index, normalized(options)));
}

/**
 * The calls of tools that read or changed a file, or the files in a folder, by default the newest first. A relative path
 * of a tool is taken from its session's working directory. If no call was about the path, those about files whose paths
 * end in `asked` are found. `filter` may have the conditions of `sessiondb files`: project, since, until, named, origin.
 *
 * @param asked the path as the user wrote it @param path the same as an absolute path
 * @throws SessionDbError `usage` for options that make no sense, `busy`, `index_corrupt`, `io`
 */
export function findTouches(index: Index, asked: string, path: string, options: TouchOptions): Touches {
  text("asked", asked);
  isPath("path", path);
  checkTouches("options", options);
  isPath("options.home", options.home);
  return inIndex(index, () => touches(index, asked, path, normalized(options)));
}

/**
 * An overview of the index: counts, the usage of the last 30 days, the sessions active last, sizes in bytes.
 *
 * @throws SessionDbError `usage` for options that make no sense, `busy`, `index_corrupt`, `io`
 */
export function readStatus(index: Index, options: StatusOptions): Status {
  checkStatus("options", options);
  wholeTime("options.now", options.now);
  return inIndex(index, () => status(index, normalized(options)));
}
