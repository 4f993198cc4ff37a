import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endWithTest, finished } from "../helpers/processes.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { Store } from "../indexing/store.ts";

interface Line {
  /** How many modules of ours it may pass between its append and its hit; fewer when one goes. */
  most: number;
  add(built: SessionBuilder, text: string): unknown;
  /** Modules that it passes beside those of every line. */
  also: Folders;
}

/** Names of modules, by folder. */
type Folders = Record<string, string>;

/** Modules that every line passes. */
const PASSED: Folders = {
  "daemon/components":
    "change-queue file-sync folder-watches freshness full-text-feed index-supervisor root-watch roots scheduler sweeper watcher",
  daemon: "daemon",
  src: "errors",
  "src/files": "fingerprint lines open-file session-path stat",
  "src/format": "content entry json record upgrade usage",
  "src/format/tape": "extract field-finder line-texts tape-values tape",
  "src/indexing":
    "billing-dedup change-detection extract-lines families file-step index-file relatives row-writer session-fold table-writers",
  "src/runtime": "cancellation",
  "src/search/feed": "feeder fts-writer merge pending position",
  "src/search/fts": "identifiers indexed-text tokenizer",
  "src/store": "databases statements",
  "src/store/tables":
    "cursors dictionary entry-rows row-sql session-rows tool-call-rows usage-buckets usage-rows",
  "src/text": "preview",
};

const LINES: Record<string, Line> = {
  "a message of a user": {
    most: 60,
    add: (built, text) => built.user(text),
    also: {
      "src/text": "title",
    },
  },
  "an answer of a model": {
    most: 60,
    add: (built, text) => built.assistant({ text }),
    also: {
      "src/format": "billing-key",
    },
  },
};

/** How often the bytes of the line are read from the file, what proves the file included. */
const MOST_READS = 2;
/**
 * What the system is asked about the file: is it a regular one, how is what was opened, is it still there before the
 * commit; and once more by the full text, which reads the line again.
 */
const MOST_STATS = 4;
/** Before there is a lock, and under it. */
const MOST_CURSORS = 2;
const MOST_COMPONENTS = 6;

const PROGRAM = join(import.meta.dirname, "journey-daemon.mjs");

interface Journey {
  /** Those in which a function ran. */
  modules: string[];
  reads: number;
  /** How often the system was asked for the stat of a session file, or of anything open. */
  stats: number;
  cursors: number;
}

/** What becomes of a line that comes after others of its kind. */
async function journeyOf({ add }: Line): Promise<Journey> {
  const store = new Store();
  const built = session({ id: "a" });
  for (let nth = 0; nth < 50; nth++) built.user(`question ${nth} of many words`).assistant();
  const path = store.write("a.jsonl", built.bytes());
  const lines = ["warming", "measured"].map((word) => {
    add(built, `parseHTTPResponse is ${word}`);
    return { line: built.lines().at(-1), word };
  });
  const asked = JSON.stringify({ root: store.root, folder: store.indexFolder, path, lines });
  const child = spawn(process.execPath, [PROGRAM, asked], { stdio: ["ignore", "pipe", "inherit"] });
  const { stdout } = await finished(endWithTest(child));
  return JSON.parse(stdout);
}

function pathsOf(folders: Folders): string[] {
  return Object.entries(folders).flatMap(([folder, names]) =>
    names.split(" ").map((name) => `${folder}/${name}.ts`),
  );
}

test.runIf(process.platform === "linux").each(Object.entries(LINES))(
  "%s passes no more modules on its way to a hit than it did, and is read from the file twice",
  async (kind, line) => {
    const { modules, reads, stats, cursors } = await journeyOf(line);
    console.info(
      `${kind}: ${modules.length} modules, ${reads} readings, ${stats} stats, ${cursors} loads of the Cursor`,
    );
    const known = [...pathsOf(PASSED), ...pathsOf(line.also)];
    const added = modules.filter((module) => !known.includes(module));
    const gone = known.filter((module) => !modules.includes(module));
    expect({ added, gone }).toEqual({ added: [], gone: [] });
    expect(modules.length).toBeLessThanOrEqual(line.most);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThanOrEqual(MOST_READS);
    expect(stats).toBeGreaterThan(0);
    expect(stats).toBeLessThanOrEqual(MOST_STATS);
    expect(cursors).toBeGreaterThan(0);
    expect(cursors).toBeLessThanOrEqual(MOST_CURSORS);
  },
);

test("the daemon is made of few components", () => {
  const daemon = readFileSync(join(import.meta.dirname, "../../daemon/daemon.ts"), "utf8");
  const [, wired = ""] = /#components = \[([^\]]*)\]/.exec(daemon) ?? [];
  const components = wired.split(",").filter((each) => each.trim() !== "");
  expect(components.length).toBeGreaterThan(0);
  expect(components.length).toBeLessThanOrEqual(MOST_COMPONENTS);
});
