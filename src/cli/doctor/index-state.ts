import { existsSync, statSync } from "node:fs";
import { codeOf, isSqliteError, SessionDbError, unlessUnreadable } from "../../errors.ts";
import { outsideOf } from "../../filters/where.ts";
import { type Finding, REBUILD } from "../../reports/finding.ts";
import { entriesBehind } from "../../search/full-text-state.ts";
import { INDEX_DB, SEARCH_DB } from "../../store/databases.ts";
import { firstFault } from "../../store/diagnose.ts";
import { type Index, openIndex } from "../../store/open.ts";
import { isQuarantined } from "../../store/quarantine.ts";
import { formatBytes, plural } from "../../text/numbers.ts";
import { apiOf } from "../api-of.ts";
import type { Context } from "../command-line/command.ts";

/** More than the log ever takes unless somebody reads for long. */
const LARGE_LOG = 256 * 1024 * 1024;

/**
 * Whether both databases are there, whole, of this version and up to date. A damaged one is made anew before more is said
 * of it. `look` is given the index, if it can be read.
 */
export async function checkIndex(context: Context, look: (index: Index) => Finding[]): Promise<Finding[]> {
  const findings = asItStands(context, look);
  if (!findings.some(isDamage)) return findings;
  try {
    // Loaded here: it is rarely needed.
    await (await import("../../api/ask.ts")).makeAnew(apiOf(context));
  } catch (error) {
    return [
      ...findings.filter((each) => !isDamage(each)),
      describe(error, context.config.location.indexPath),
    ];
  }
  return asItStands(context, look);
}

const DAMAGED = "the index is damaged";

function isDamage({ level, what }: Finding): boolean {
  return level === "error" && what.startsWith(DAMAGED);
}

function asItStands({ config }: Context, look: (index: Index) => Finding[]): Finding[] {
  const { location } = config;
  const findings = [location.indexPath, location.searchPath].flatMap(checkFiles);
  if (!existsSync(location.indexPath)) {
    const remedy = "Run sessiondb sync; every other command that reads the index creates it, too";
    return [...findings, { level: "note", what: "there is no index yet", where: location.indexPath, remedy }];
  }
  try {
    const index = openIndex(location, { readonly: true });
    try {
      const damage = checkWhole(index);
      // Rows of a damaged one need not be true, if they can be read at all.
      if (damage.length > 0) return [...findings, ...damage];
      return [
        ...findings,
        ...checkBehind(index, config.roots),
        ...checkOutside(index, config.roots),
        ...look(index),
      ];
    } finally {
      index.close();
    }
  } catch (error) {
    return [...findings, describe(error, location.indexPath)];
  }
}

function checkWhole(index: Index): Finding[] {
  const fullText = index.hasFullText ? [{ database: index.search, kind: SEARCH_DB }] : [];
  return [{ database: index.database, kind: INDEX_DB }, ...fullText].flatMap(({ database, kind }) => {
    const fault = firstFault(database, kind);
    if (fault === null) return [];
    return [{ level: "error", what: `${DAMAGED}: ${fault}`, where: database.name, remedy: REBUILD }];
  });
}

function checkBehind(index: Index, roots: string[]): Finding[] {
  const behind = entriesBehind(index, roots);
  if (behind === 0) return [];
  return [
    {
      level: "note",
      what: `${plural(behind, "entry", "entries")} cannot be searched yet`,
      where: index.location.searchPath,
      remedy: "Run sessiondb sync; a running daemon does it within a second",
    },
  ];
}

/**
 * Sessions below roots that are no longer asked about. Nothing is wrong with them, but statements of `sql` see them,
 * and no sync looks whether their files have changed.
 */
function checkOutside(index: Index, roots: string[]): Finding[] {
  const outside = outsideOf(index.database, roots);
  if (outside === null) return [];
  const { sessions, folder } = outside;
  return [
    {
      level: "note",
      what: `the index holds ${plural(sessions, "session")} of other folders, from an earlier --sessions-dir; only sql shows them`,
      where: folder,
      remedy: `To see them, name their folder with --sessions-dir; to get rid of them, delete the index (${index.location.indexPath}) and run sessiondb sync`,
    },
  ];
}

function checkFiles(path: string): Finding[] {
  const findings: Finding[] = [];
  const log = unlessUnreadable(() => statSync(`${path}-wal`, { throwIfNoEntry: false }))?.size ?? 0;
  if (log > LARGE_LOG) {
    findings.push({
      level: "warning",
      what: `the write-ahead log has grown to ${formatBytes(log)}: some program has been reading for a long time`,
      where: `${path}-wal`,
      remedy: "End the program that has the index open (lsof shows which); the log then shrinks by itself",
    });
  }
  if (unlessUnreadable(() => isQuarantined(path))) {
    findings.push({
      level: "note",
      what: "a damaged index was put aside, and a new one was built",
      where: `${path}.damaged`,
      remedy: "Delete it, or keep it to find out what happened; it is removed when a session is deleted",
    });
  }
  return findings;
}

function describe(error: unknown, path: string): Finding {
  if (error instanceof SessionDbError) {
    // A missing native module is a finding already, and an index that is about to be made cannot be read yet.
    const passes = ["busy", "native_missing", "not_found"].includes(error.code);
    const level = passes ? "note" : "error";
    return { level, what: error.message, where: path, remedy: error.hint ?? "" };
  }
  if (!isSqliteError(error)) throw error;
  return {
    level: "error",
    what: `the index cannot be read (${codeOf(error)})`,
    where: path,
    remedy: REBUILD,
  };
}
