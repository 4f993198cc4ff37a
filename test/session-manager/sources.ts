/** Session files of every kind, as files to make portraits of. */
import { readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { faultFixtures } from "../fixtures/faults.ts";
import { Random } from "./random.ts";
import { randomFile } from "./random-file.ts";

export interface SourceFile {
  name: string;
  source: string;
  /** Parents form a circle, on which pi does not come back. */
  endless: boolean;
}

/** One file a fault, written into `dir`. */
export function faultFiles(dir: string): SourceFile[] {
  return faultFixtures.map(({ row, name, bytes }, index) => {
    const source = join(dir, `fault-${index}.jsonl`);
    writeFileSync(source, bytes);
    return { name: `${row}: ${name}`, source, endless: row === "A22" || row === "A23" };
  });
}

/** Files that pi wrote, with every feature it has. */
export function sampleFiles(): SourceFile[] {
  const dir = join(import.meta.dirname, "..", "samples", "agent");
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => ({ name: basename(name), source: join(dir, name), endless: false }));
}

/** Files of random entries, the same for the same `count`, written into `dir`. */
export function randomFiles(dir: string, count: number): SourceFile[] {
  return Array.from({ length: count }, (_, seed) => {
    const source = join(dir, `random-${seed}.jsonl`);
    const { text, endless } = randomFile(new Random(seed));
    writeFileSync(source, text);
    return { name: `random file ${seed}`, source, endless };
  });
}
