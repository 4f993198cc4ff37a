import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

interface PackageFacts {
  version: string;
  /** Where bugs are reported. */
  reportTo: string;
}

/** The package's folder, which is found by its own name, from the sources and from `dist` alike. */
export function packageRoot(): URL {
  return pathToFileURL(createRequire(import.meta.url).resolve("pi-sessiondb/package.json"));
}

/** What `package.json` says. */
export function packageFacts(): PackageFacts {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", packageRoot()), "utf8"));
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
