/** Digests a tree of files: names, bytes, sizes, times of writing and modes, of files and folders alike. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** @param {string} root */
export function digestOf(root) {
  const hash = createHash("sha256");
  for (const name of ["", ...readdirSync(root, { recursive: true, encoding: "utf8" }).sort()]) {
    const path = join(root, name);
    const stats = statSync(path, { bigint: true });
    hash.update(`${name} ${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}\n`);
    if (stats.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}
