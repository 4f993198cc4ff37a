import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isAsInstalled } from "../../../daemon/service/install.ts";
import { readServiceRecord } from "../../../daemon/service/registration.ts";
import { SessionDbError } from "../../errors.ts";
import type { Finding } from "../../reports/finding.ts";
import type { Context } from "../command-line/command.ts";
import { packageFacts } from "../command-line/package.ts";
import { servicePlaceOf } from "../daemon/daemon-service.ts";
import { type DaemonFacts, hearDaemonStatus } from "../daemon/daemon-status.ts";

/** Whether what starts the daemon at login still can, and whether the daemon that runs does all it should. */
export async function checkDaemon(context: Context): Promise<Finding[]> {
  const { config } = context;
  let facts: DaemonFacts;
  try {
    facts = await hearDaemonStatus(config);
  } catch (error) {
    if (!(error instanceof SessionDbError)) throw error;
    const where = dirname(config.location.indexPath);
    return [{ level: "error", what: error.message, where, remedy: error.hint ?? "" }];
  }
  const installed = checkService(context, facts.running);
  return [...installed, ...checkRunning(facts)];
}

const AGAIN = "Run sessiondb daemon install to write it again";

function checkService(context: Context, isRunning: boolean): Finding[] {
  const record = readServiceRecord(dirname(context.config.location.indexPath));
  if (record === null) return [];
  const findings: Finding[] = [];
  if (!existsSync(record.path)) {
    const what = "the daemon was installed to start at login, but what starts it is gone";
    findings.push({ level: "error", what, where: record.path, remedy: AGAIN });
  } else if (!isAsInstalled(servicePlaceOf(context), record)) {
    const what =
      "what starts at login is not what was installed for this index (is it another index's daemon?)";
    findings.push({ level: "warning", what, where: record.path, remedy: AGAIN });
  }
  // The program, and the script among its arguments: both are absolute.
  const script = record.launch.find((word, at) => at > 0 && /\.[cm]?[jt]s$/.test(word));
  for (const path of [record.launch[0], script]) {
    if (path === undefined || existsSync(path)) continue;
    const what = "what starts at login no longer exists (was Node or pi-sessiondb updated or moved?)";
    findings.push({ level: "error", what, where: path, remedy: AGAIN });
  }
  if (findings.length === 0 && !isRunning) {
    const remedy = "Run sessiondb daemon start; sessiondb daemon logs shows why it ended";
    findings.push({
      level: "warning",
      what: "the daemon is installed but not running",
      where: record.path,
      remedy,
    });
  }
  return findings;
}

function checkRunning(facts: DaemonFacts): Finding[] {
  if (!facts.running) return [];
  const findings: Finding[] = [];
  const where = facts.pid === null ? "" : `process ${facts.pid}`;
  if (facts.degraded !== null) {
    const remedy = "It recovers by itself once that is over; sessiondb daemon logs shows more";
    findings.push({
      level: "warning",
      what: `the daemon is degraded: ${facts.degraded}`,
      where,
      remedy,
    });
  }
  const { version } = packageFacts();
  if (facts.version !== null && facts.version !== version) {
    const what = `the running daemon is version ${facts.version}, this is version ${version}`;
    const there = facts.pid === null ? ", in the container or on the machine where it runs" : "";
    findings.push({ level: "warning", what, where, remedy: `sessiondb daemon restart${there}` });
  }
  return findings;
}
