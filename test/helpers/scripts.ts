import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { endWithTest, finished, type Outcome } from "./processes.ts";

/** Node 20 has only the experimental name; later versions have the other. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** Options with which Node starts no threads and no other processes. */
export const WITHOUT_THREADS: readonly string[] = [
  PERMISSION,
  "--allow-fs-read=*",
  "--allow-fs-write=*",
  "--allow-addons",
  "--no-warnings",
];

/** Runs Node to its end. */
export function runNode(argv: readonly string[]): Promise<Outcome> {
  return finished(endWithTest(spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"] })));
}

/** Runs a module given as text, and returns the JSON it prints. */
export async function printedBy(script: string, options: readonly string[] = []): Promise<unknown> {
  const { code, stdout, stderr } = await runNode([...options, "--input-type=module", "-e", script]);
  if (code !== 0 || stderr !== "") throw new Error(`ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The URL of a compiled module, quoted, to be imported by a script; `name` is the path below `build`. */
export function compiled(name: string): string {
  return JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../build", name)).href);
}
