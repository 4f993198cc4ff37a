import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { endWithTest, finished, type Outcome } from "./processes.ts";

/** Node 20 takes the one, later ones the other. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** Options of Node with which it starts no thread, and no other process. */
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

/** What it prints of a module that is given as text. */
export async function printedBy(script: string, options: readonly string[] = []): Promise<unknown> {
  const { code, stdout, stderr } = await runNode([...options, "--input-type=module", "-e", script]);
  if (code !== 0 || stderr !== "") throw new Error(`ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** A compiled module, to be imported by a script; named from `dist`. */
export function compiled(name: string): string {
  return JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../dist", name)).href);
}
