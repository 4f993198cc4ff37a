import { expect, test } from "vitest";
import * as library from "../src/index.ts";
import { importPeer, isMissing } from "./helpers/peers.ts";

/** Beside `SessionManager`, what pi exports for reading its format. */
const FORMAT = [
  "CURRENT_SESSION_VERSION",
  "SessionManager",
  "assertValidSessionId",
  "buildContextEntries",
  "buildSessionContext",
  "buildSessionProjection",
  "findMostRecentSession",
  "getDefaultSessionDir",
  "getLatestCompactionEntry",
  "loadEntriesFromFile",
  "migrateSessionEntries",
  "parseSessionEntries",
  // From 1.5 on.
  "projectContextEntry",
  "sessionEntryToContextMessages",
];

const INDEX = [
  "Index",
  "SearchFeed",
  "SessionDbError",
  "SyncRun",
  "describeSchema",
  "findTouches",
  "feedSearch",
  "listLabels",
  "listSessions",
  "needsPurge",
  "openIndex",
  "purge",
  "readStatus",
  "resolveSession",
  "runSql",
  "searchEntries",
  "sumUsage",
  "syncAll",
];

test("the library's names are those that are meant to be public", () => {
  expect(Object.keys(library).sort()).toEqual([...FORMAT, ...INDEX].sort());
});

test.skipIf(isMissing("piSessionManagerModule"))(
  "every name of pi's session-manager.js is among them",
  async () => {
    const pi = await importPeer<object>("piSessionManagerModule");
    expect(Object.keys(pi).filter((name) => !FORMAT.includes(name))).toEqual([]);
  },
);
