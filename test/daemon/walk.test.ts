import { appendFileSync, statSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { searchEntries } from "../../src/search/search.ts";
import { CursorTable } from "../../src/store/tables/cursors.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { Store } from "../indexing/store.ts";
import { HOUR, NO_SWEEPS, Running } from "./running.ts";

/**
 * Modules of ours in which something runs between an append and the moment when a question finds it; fewer when one goes.
 * The thread of the full text is not among them: here its work is done in this one.
 */
const MOST_MODULES = 86;
/** How often the bytes of the line are read from the file. */
const MOST_READS = 2;
/**
 * What the system is asked about the file: is it a regular one, how is what was opened, is it still there before the
 * commit; and once more by the full text, which reads the line again.
 */
const MOST_STATS = 4;
/** Before there is a lock, and under it. */
const MOST_CURSORS = 2;

/** How often the system was asked for the stat of a session file, or of anything open. */
const stats = vi.hoisted(() => ({ count: 0 }));

/** From where to where a file was read, since the list was emptied last. */
const reads = vi.hoisted((): { from: number; to: number }[] => []);

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const readSync = (fd: number, buffer: NodeJS.ArrayBufferView, at: number, length: number, from: number) => {
    const bytes = fs.readSync(fd, buffer, at, length, from);
    reads.push({ from, to: from + bytes });
    return bytes;
  };
  const ofSession = <T>(path: T): T => {
    if (String(path).endsWith(".jsonl")) stats.count++;
    return path;
  };
  const statSync = (path: string, options: object) => fs.statSync(ofSession(path), options);
  const lstatSync = (path: string, options: object) => fs.lstatSync(ofSession(path), options);
  const fstatSync = (fd: number) => {
    stats.count++;
    return fs.fstatSync(fd);
  };
  return { ...fs, readSync, statSync, lstatSync, fstatSync };
});

const ROOT = pathToFileURL(join(import.meta.dirname, "../..")).href;

/** The files of `src` and `daemon` in which a function has run since this was asked last. */
async function modulesRun(inspector: Session): Promise<string[]> {
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
    .map(({ url }) => url.replace(`${ROOT}/`, "").replace(`${join(import.meta.dirname, "../..")}/`, ""))
    .filter((path) => /^(src|daemon)\//.test(path))
    .sort();
}

test.runIf(process.platform === "linux")(
  "an appended line passes few modules on its way to a hit, and is read from the file but a few times",
  async () => {
    const store = new Store();
    const built = session({ id: "a" });
    for (let nth = 0; nth < 100; nth++) built.user(`line ${nth} of many words`);
    const path = store.write("a.jsonl", built.bytes());
    // Nor does it look meanwhile whether roots and databases are where they were.
    await new Running(store, { intervals: { ...NO_SWEEPS, tickMs: HOUR } }).ready();
    const append = (word: string): void => {
      appendFileSync(path, `${built.user(word).lines().at(-1)}\n`);
    };
    // By SQL alone: nothing of ours runs but the daemon.
    const isFound = (word: string) =>
      store.index.search.prepare("SELECT 1 FROM entry_text WHERE entry_text MATCH ?").get(word) !== undefined;
    const found = (word: string) => pollUntil(() => isFound(word), { what: word });
    append("warming");
    await found("warming");

    const inspector = new Session();
    inspector.connect();
    onTestFinished(() => inspector.disconnect());
    await inspector.post("Profiler.enable");
    await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await modulesRun(inspector);
    const sizeBefore = statSync(path).size;
    reads.length = 0;
    stats.count = 0;
    const loads = vi.spyOn(CursorTable.prototype, "load");
    append("walking");
    await found("walking");
    const modules = await modulesRun(inspector);
    const [asks, cursors] = [stats.count, loads.mock.calls.length];
    const readings = reads.filter(({ to }) => to > sizeBefore).length;
    expect(searchEntries(store.index, "walking").total).toBe(1);
    const asked = await modulesRun(inspector);
    const all = new Set([...modules, ...asked]);
    console.info(
      `${modules.length} modules to be searchable, ${all.size} with the question; ${readings} readings of the line, ${asks} stats, ${cursors} loads of the Cursor\n  ${modules.join("\n  ")}`,
    );
    expect(modules.length).toBeGreaterThan(10);
    expect(modules.length).toBeLessThanOrEqual(MOST_MODULES);
    expect(asks).toBeGreaterThan(0);
    expect(asks).toBeLessThanOrEqual(MOST_STATS);
    expect(cursors).toBeGreaterThan(0);
    expect(cursors).toBeLessThanOrEqual(MOST_CURSORS);
    expect(readings).toBeGreaterThan(0);
    expect(readings).toBeLessThanOrEqual(MOST_READS);
  },
);
