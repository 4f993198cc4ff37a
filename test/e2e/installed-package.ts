import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "../helpers/temp-dir.ts";

export const project = join(import.meta.dirname, "..", "..");

export interface Manifest {
  pi: { extensions: string[]; skills: string[] };
  bin: Record<string, string>;
  scripts: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

export const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as Manifest;
export const shipped = shippedFiles();

function shippedFiles(): string[] {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [pack] = JSON.parse(output) as { files: { path: string }[] }[];
  return (pack?.files ?? []).map(({ path }) => path);
}

/** The package as it would be installed: what is shipped, and the dependencies it names. */
export function installed(): string {
  const folder = join(tempDir(), "pi-sessiondb");
  for (const path of shipped) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(project, path), join(folder, path));
  }
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  for (const name of dependencies.filter((each) => existsSync(join(project, "node_modules", each)))) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(join(project, "node_modules", name), join(folder, "node_modules", name));
  }
  return folder;
}
