import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { IndexSupervisor } from "../../daemon/components/index-supervisor.ts";
import { Roots } from "../../daemon/components/roots.ts";
import { CLOCK } from "../../daemon/components/scheduler.ts";
import { SILENT } from "../../daemon/control/log.ts";
import { NOTHING_EXCLUDED } from "../../src/files/session-path.ts";
import { filesAt, type IndexLocation } from "../../src/store/location.ts";
import { openIndex } from "../../src/store/open.ts";
import { quarantine } from "../../src/store/quarantine.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { endWithTest } from "../helpers/processes.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** A folder whose index, and full text, is no database, but for our mark. */
function damagedIn(folder: string): IndexLocation {
  const location = indexIn(folder);
  const bytes = Buffer.from("no database, ".repeat(1000));
  bytes.write("pisd", 68);
  for (const path of Object.values(location)) writeFileSync(path, bytes);
  return location;
}

/** As another process does that has met the damage too. */
function makeAnew(folder: string): unknown {
  const location = indexIn(folder);
  quarantine("index", location, filesAt(location));
  return withIndex(folder, ({ database, search }) => {
    search.prepare("SELECT 1").get();
    return idOf(database);
  });
}

/** Holds what keeps others from moving them, for half a second. */
const HOLDER = `import { join } from "node:path";
  import { takeLock } from ${JSON.stringify(new URL("../../build/src/store/lock.js", import.meta.url).href)};
  const lock = takeLock(join(process.argv[1], "damage-lock.db"), 0);
  console.log("held");
  setTimeout(() => lock.release(), 500);`;

function idOf(database: { prepare(sql: string): { pluck(): { get(): unknown } } }): unknown {
  return database.prepare("SELECT value FROM meta WHERE name = 'index_id'").pluck().get();
}

test("D9: a damaged index is moved out of the way with its logs", () => {
  const location = damagedIn(tempDir());
  writeFileSync(`${location.indexPath}-wal`, "its log");
  expect(quarantine("index", location, filesAt(location))).toBe(true);
  expect(Object.values(location).filter((path) => existsSync(path))).toEqual([]);
  expect(readFileSync(`${location.indexPath}.damaged-wal`, "utf8")).toBe("its log");
});

test("D9: what another process has made of a damaged index meanwhile is left where it is", () => {
  const folder = tempDir();
  const location = damagedIn(folder);
  const damaged = filesAt(location);
  const id = makeAnew(folder);
  expect(quarantine("index", location, damaged)).toBe(false);
  expect(withIndex(folder, ({ database }) => idOf(database))).toBe(id);
});

test("D9: while another process moves damaged databases it is waited for", async () => {
  const folder = tempDir();
  const location = damagedIn(folder);
  const holder = endWithTest(spawn(process.execPath, ["--input-type=module", "-e", HOLDER, folder]));
  await once(holder.stdout, "data");
  expect(quarantine("index", location, filesAt(location))).toBe(true);
});

test("D9: of two databases only the one that is still the damaged one is moved", () => {
  const location = damagedIn(tempDir());
  const damaged = filesAt(location);
  quarantine("fullText", location, damaged);
  writeFileSync(location.searchPath, "made anew");
  expect(quarantine("index", location, damaged)).toBe(true);
  expect([existsSync(location.indexPath), readFileSync(location.searchPath, "utf8")]).toEqual([
    false,
    "made anew",
  ]);
});

test("D9: the daemon does not put aside what a sync --rebuild has made while it let go of the damaged index", () => {
  const folder = tempDir();
  const location = damagedIn(folder);
  const rest = { isExcluded: NOTHING_EXCLUDED, emit: () => undefined, roots: new Roots([]) };
  const supervisor = new IndexSupervisor({ location, clock: CLOCK, log: SILENT, ...rest });
  let met: unknown;
  try {
    supervisor.open();
  } catch (error) {
    met = error;
  }
  const id = makeAnew(folder);
  supervisor.mend(met);
  expect(idOf(supervisor.open().index.database)).toBe(id);
  supervisor.close();
});

test("D9: an index that was put aside while it was open says so instead of blaming the folder", () => {
  const folder = tempDir();
  const index = openIndex(indexIn(folder));
  index.search.prepare("SELECT 1").get();
  quarantine("index", index.location, filesAt(index.location));
  expect(index.isReplaced()).toBe(true);
  index.close();
});
