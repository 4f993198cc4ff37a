import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { peers, peersDir } from "../helpers/peers.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { describeWithEachPi, type Release } from "./pi.ts";

const PROJECT = join(import.meta.dirname, "..", "..");

/** Where a release has its model layer. */
const MODELS: Record<Release["version"], string> = {
  "0.87.1": "node_modules/@earendil-works/pi-ai",
  "1.6.0": "node_modules/pi-1.6/node_modules/@earendil-works/pi-ai",
};

/** What one side takes and gives, said by the other's types: each line compiles only if it fits. */
const assignments = ({ version, peer }: Release) => `
import * as own from "${join(PROJECT, "dist", "src", "index.js")}";
import * as pi from "${peers[peer]}";
import type { ModelThinkingLevel } from "${join(peersDir, MODELS[version], "dist", "types.js")}";

type Call = (...given: never[]) => unknown;
type Taken<F> = F extends (...given: infer P) => unknown ? P : never;
type Given<F> = F extends (...given: never[]) => infer R ? R : never;
/** Members of A whose arguments B does not take, or whose result of B cannot stand for that of A. */
type Misfit<A, B> = {
  [K in keyof A]: A[K] extends Call
    ? K extends keyof B
      ? Taken<A[K]> extends Taken<B[K]> ? (Given<B[K]> extends Given<A[K]> ? never : K) : K
      : K
    : never;
}[keyof A];
/** The class itself cannot stand for pi's, which has private members. */
type OfClass = "create" | "open" | "continueRecent" | "inMemory" | "forkFrom";

type None<Names extends never> = Names;
type Members = None<Misfit<pi.SessionManager, own.SessionManager>>;
type Statics = None<Misfit<Omit<typeof pi.SessionManager, "prototype" | OfClass>, typeof own.SessionManager>>;
type Makers = None<{
  [K in OfClass]: Taken<typeof pi.SessionManager[K]> extends Taken<typeof own.SessionManager[K]> ? never : K;
}[OfClass]>;
type Functions = None<Misfit<Omit<typeof pi, "SessionManager">, typeof own>>;
const entries: own.SessionEntry[] = [] as pi.SessionEntry[];
const header: own.SessionHeader = {} as pi.SessionHeader;
const context: own.SessionContext = {} as pi.SessionContext;
const infos: own.SessionInfo[] = [] as pi.SessionInfo[];
const nodes: own.SessionTreeNode[] = [] as pi.SessionTreeNode[];
const theirEntries: pi.SessionEntry[] = [] as own.SessionEntry[];
const theirContext: pi.SessionContext = {} as own.SessionContext;
const theirInfos: pi.SessionInfo[] = [] as own.SessionInfo[];
const theirNodes: pi.SessionTreeNode[] = [] as own.SessionTreeNode[];
// A newer pi says it of a response.
const theirLevel: ModelThinkingLevel = {} as NonNullable<own.AssistantMessage["thinkingLevel"]>;
`;

describeWithEachPi("in TypeScript", (release) => {
  test("what pi's members take ours take, and what ours give can be used as what pi's give", () => {
    const program = join(tempDir(), "program.ts");
    writeFileSync(program, assignments(release));
    expect(compile(program)).toBe("");
  });
});

function compile(program: string): string {
  const options = [
    "--noEmit",
    "--ignoreConfig",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--skipLibCheck",
    "--target",
    "es2023",
    "--module",
    "nodenext",
  ];
  const types = ["--types", "node", "--typeRoots", join(PROJECT, "node_modules", "@types")];
  try {
    return execFileSync(
      process.execPath,
      [join(PROJECT, "node_modules/typescript/bin/tsc"), ...options, ...types, program],
      { encoding: "utf8" },
    );
  } catch (error) {
    if (error instanceof Error && "stdout" in error) return String(error.stdout);
    throw error;
  }
}
