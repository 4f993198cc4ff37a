import { codeOf } from "../../errors.ts";
import type { Finding } from "../../query/finding.ts";
import { Thread } from "../../thread.ts";

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
