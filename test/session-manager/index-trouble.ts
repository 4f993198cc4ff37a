/** An index beside pi's sessions, in every state it can be in while sessions are opened and read. */
import {
  chmodSync,
  closeSync,
  cpSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { type Database, loadSqlite } from "../../src/store/native.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { indexIn } from "../helpers/open-index.ts";
import type { PortraitEvents } from "./portrait.mjs";

/** The folder of an agent's index, and what has to be undone. */
export interface Place {
  /** Below it the index is looked for, as `sessiondb/index-v1.db`. */
  agentDir: string;
  undo: (() => void)[];
}

/** What is done to a session's file happens in both ways, what is done to the index in one of them. */
export interface Condition {
  name: string;
  toFile?: PortraitEvents;
  toIndex?: (place: Place) => PortraitEvents;
}

/** As if it had been a while: files written just now count as settled. */
const LATER_MS = 60_000;

function indexOf({ agentDir }: Place): Index {
  return openIndex(indexIn(join(agentDir, "sessiondb")));
}

/** Brings the index up to date with the folder of a file. */
export function syncFolderOf(file: string, place: Place, options: { rebuild?: boolean } = {}): void {
  const index = indexOf(place);
  try {
    syncAll(index, [dirname(file)], { ...options, now: () => Date.now() + LATER_MS });
  } finally {
    index.close();
  }
}

const complete = (place: Place) => ({ placed: (file: string) => syncFolderOf(file, place) });

/** The index is made while the last `lines` lines are missing. */
function behind(lines: number) {
  return (place: Place) => ({
    placed: (file: string) => {
      const bytes = readFileSync(file);
      let end = bytes.length;
      for (let line = 0; line < lines; line++) end = bytes.lastIndexOf("\n", end - 2) + 1;
      truncateSync(file, end);
      syncFolderOf(file, place);
      writeFileSync(file, bytes.subarray(end), { flag: "a" });
    },
  });
}

/** Another file of the same form takes the place of this one. */
function replaceFile(file: string): void {
  cpSync(file, `${file}.new`);
  writeFileSync(`${file}.new`, '{"type":"session_info","id":"feedface","parentId":null}\n', { flag: "a" });
  renameSync(`${file}.new`, file);
}

function changed(place: Place, change: (path: string, database: Database) => void): PortraitEvents {
  return {
    placed: (file) => {
      syncFolderOf(file, place);
      const path = pathIn(place);
      const database = new (loadSqlite())(path);
      change(path, database);
      if (database.open) database.close();
    },
  };
}

function pathIn({ agentDir }: Place): string {
  return indexIn(join(agentDir, "sessiondb")).indexPath;
}

function removeIndex(place: Place): void {
  rmSync(join(place.agentDir, "sessiondb"), { recursive: true });
}

/** Writes over a part of the database; the header stays when `from` is above 100. */
function overwrite(path: string, from: number): void {
  const fd = openSync(path, "r+");
  const { size } = fstatSync(fd);
  for (let at = from; at < size; at += 4096) writeSync(fd, Buffer.alloc(2000, 0xa5), 0, 2000, at);
  closeSync(fd);
}

export const conditions: Condition[] = [
  { name: "is complete", toIndex: complete },
  ...[1, 2, 5].map((lines) => ({ name: `lacks the last ${lines} lines`, toIndex: behind(lines) })),
  {
    name: "catches up after the session was opened",
    toIndex: (place) => ({ ...behind(3)(place), opened: (file) => syncFolderOf(file, place) }),
  },
  {
    name: "is made anew, row by row, after the session was opened",
    toIndex: (place) => ({
      ...complete(place),
      opened: (file) => {
        writeFileSync(join(dirname(file), "another.jsonl"), readFileSync(file));
        syncFolderOf(file, place, { rebuild: true });
        rmSync(join(dirname(file), "another.jsonl"));
      },
    }),
  },
  {
    name: "loses the session's rows after it was opened",
    toIndex: (place) => ({
      ...complete(place),
      opened: () => {
        const index = indexOf(place);
        index.database.exec("DELETE FROM files");
        index.close();
      },
    }),
  },
  {
    name: "follows another file that has taken the session's place",
    toFile: { opened: replaceFile },
    toIndex: (place) => ({ ...complete(place), opened: (file) => syncFolderOf(file, place) }),
  },
  {
    name: "is deleted after the session was opened",
    toIndex: (place) => ({ ...complete(place), opened: () => removeIndex(place) }),
  },
  {
    name: "stands there while the session's file is deleted",
    toFile: { opened: (file) => rmSync(file) },
    toIndex: complete,
  },
  {
    name: "is locked before the session is opened",
    toIndex: (place) => ({
      placed: (file) => {
        syncFolderOf(file, place);
        lock(place);
      },
    }),
  },
  {
    name: "is no database",
    toIndex: (place) => changed(place, (path) => overwrite(path, 0)),
  },
  {
    name: "has damaged pages",
    toIndex: (place) => changed(place, (path) => overwrite(path, 4096)),
  },
  {
    name: "is damaged after the session was opened",
    toIndex: (place) => ({ ...complete(place), opened: () => overwrite(pathIn(place), 4096) }),
  },
  {
    name: "is from a newer version",
    toIndex: (place) => changed(place, (_, database) => database.pragma("user_version = 99")),
  },
  {
    name: "is another program's",
    toIndex: (place) => ({
      placed: () => {
        const path = pathIn(place);
        mkdirSync(dirname(path), { recursive: true });
        const database = new (loadSqlite())(path);
        database.exec(
          "CREATE TABLE IF NOT EXISTS sessions (file_id, name); INSERT INTO sessions VALUES (1, 'x')",
        );
        database.close();
      },
    }),
  },
  {
    name: "is empty",
    toIndex: (place) => ({
      placed: () => {
        mkdirSync(dirname(pathIn(place)), { recursive: true });
        writeFileSync(pathIn(place), "");
      },
    }),
  },
];

/** As a program does that wants the database for itself. */
function lock(place: Place): void {
  const database = new (loadSqlite())(pathIn(place));
  database.pragma("locking_mode = EXCLUSIVE");
  database.exec("UPDATE meta SET value = value");
  place.undo.push(() => database.close());
}

/** The index can be read but nothing beside it written. */
export function makeReadonly({ agentDir }: Place): void {
  const folder = join(agentDir, "sessiondb");
  chmodSync(join(folder, "index-v1.db"), 0o444);
  chmodSync(folder, 0o555);
}
