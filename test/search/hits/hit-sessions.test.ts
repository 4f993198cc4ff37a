import { expect, test } from "vitest";
import { HitSessions } from "../../../src/search/hits/hit-sessions.ts";
import { session } from "../../helpers/session-builder.ts";
import { indexOfSessions } from "../../reports/indexed.ts";

/** More than are kept, and than are asked for at once. */
const MANY = 5000;

test("those that were asked for last are there, however many were before them", () => {
  const { database } = indexOfSessions(session({ id: "0" }).user("a pear"));
  const ofFile = "device, inode, size, mtime_ms, ctime_ms, status, indexed_at";
  const ofSession = "cwd, version, modified_at, title, origin";
  const numbers = `WITH RECURSIVE number(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < ${MANY})`;
  database.exec(`${numbers} INSERT INTO files (id, path, real_path, ${ofFile})
      SELECT n, '/' || n, '/' || n, ${ofFile} FROM number, files;
    ${numbers} INSERT INTO sessions (file_id, session_id, ${ofSession}) SELECT n, n, ${ofSession} FROM number, sessions`);
  const sessions = new HitSessions();
  const namesOf = (ids: number[]) => {
    sessions.load(database, ids);
    return ids.map((id) => sessions.get(id)?.id);
  };
  const ids = Array.from({ length: MANY }, (_, n) => n + 1);
  const names = ids.map((id) => String(id));
  expect([namesOf(ids).slice(1), namesOf([4999, 2, 2])]).toEqual([names.slice(1), ["4999", "2", "2"]]);
});
