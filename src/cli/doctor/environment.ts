import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { codeOf } from "../../errors.ts";
import type { Finding } from "../../reports/finding.ts";
import { Thread } from "../../runtime/thread.ts";
import { driverRemedy, loadSqlite } from "../../store/native.ts";
import { shellWord } from "../output/shell.ts";

interface Told {
  config: Pick<Config, "notes" | "configPath" | "agentDir">;
}

/** The native part of better-sqlite3 as this Node finds it, and the settings. */
export function checkEnvironment(context: Told): Finding[] {
  return [...checkNative(), ...checkSettings(context)];
}

/** Loaded for real, because a binary that is there may be for another Node. */
function checkNative(): Finding[] {
  try {
    new (loadSqlite())(":memory:").close();
    return [];
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? causeOf(error).message : String(error)).split("\n");
    const { folder, command } = driverRemedy();
    return [
      {
        level: "error",
        what: `better-sqlite3 cannot be loaded on Node ${process.versions.node} (ABI ${process.versions.modules}): ${reason}`,
        where: folder,
        remedy: `cd ${shellWord(folder)} && ${command}`,
      },
    ];
  }
}

function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}

/** Notes are about our configuration file, or about pi's settings, and name it. */
function checkSettings({ config: { notes, configPath, agentDir } }: Told): Finding[] {
  const whereOf = (note: string): string =>
    note.includes(configPath) ? configPath : join(agentDir, "settings.json");
  return notes.map((what) => ({ level: "warning", what, where: whereOf(what), remedy: "Fix that file" }));
}

/** What a thread does that has nothing to do. */
const NOTHING = new URL("data:text/javascript,export const serve = (port) => port.close();");

/** Tries it: what there is room for, nobody says beforehand. */
export async function checkThreads(): Promise<Finding[]> {
  const findings: Finding[] = [];
  const fail = (error: unknown): void => {
    findings.push({
      level: "note",
      what: `no more threads can be started (${codeOf(error)}), so a first index takes longer`,
      where: "",
      remedy: "Allow more threads: ulimit -u, the limit of the container, node --allow-worker",
    });
  };
  await new Thread({ module: NOTHING, orders: null, fail }).ended;
  return findings;
}
