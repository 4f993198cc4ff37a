import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../../src/files/json-file.ts";
import type { Launch } from "../control/process.ts";

/** What was registered to be started at login, kept beside the index so that it can be checked later. */
export interface ServiceRecord {
  mechanism: string;
  /** The file the system reads. */
  path: string;
  launch: Launch;
}

export function writeServiceRecord(folder: string, record: ServiceRecord): void {
  writeFileSync(pathIn(folder), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

export function removeServiceRecord(folder: string): void {
  rmSync(pathIn(folder), { force: true });
}

/** Null when nothing was installed, or the record makes no sense. */
export function readServiceRecord(folder: string): ServiceRecord | null {
  const value = readJson(pathIn(folder));
  return isRecord(value) ? value : null;
}

function pathIn(folder: string): string {
  return join(folder, "daemon-service.json");
}

function isRecord(value: unknown): value is ServiceRecord {
  if (typeof value !== "object" || value === null) return false;
  const { mechanism, path, launch } = value as Record<string, unknown>;
  if (typeof mechanism !== "string" || typeof path !== "string" || !Array.isArray(launch)) return false;
  return launch.length > 0 && launch.every((word) => typeof word === "string");
}
