import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

interface PackageFacts {
  version: string;
  /** Where bugs are reported. */
  reportTo: string;
}

/** Reads `package.json`, which is found by the package's own name, from the sources and from `dist` alike. */
export function packageFacts(): PackageFacts {
  const path = createRequire(import.meta.url).resolve("pi-sessiondb/package.json");
  const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
  const bugs = fieldOf(manifest, "bugs");
  return {
    version: stringOf(fieldOf(manifest, "version")) ?? "unknown",
    reportTo:
      stringOf(bugs) ??
      stringOf(fieldOf(bugs, "url")) ??
      stringOf(fieldOf(manifest, "homepage")) ??
      "the place you got it from",
  };
}

function fieldOf(object: unknown, name: string): unknown {
  return typeof object === "object" && object !== null ? Reflect.get(object, name) : undefined;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
