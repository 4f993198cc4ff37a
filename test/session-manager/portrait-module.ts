/** What pi's session-manager.js exports, from our sources. */
import * as context from "../../src/format/context.ts";
import { sessionEntryToContextMessages } from "../../src/format/context-messages.ts";
import { migrateSessionEntries } from "../../src/format/migrate.ts";
import { parseSessionEntries } from "../../src/format/parse.ts";
import { findMostRecentSession } from "../../src/session/header.ts";
import { loadEntriesFromFile } from "../../src/session/load.ts";
import { SessionManager } from "../../src/session/session-manager.ts";

export const ours = {
  ...context,
  SessionManager,
  sessionEntryToContextMessages,
  migrateSessionEntries,
  findMostRecentSession,
  loadEntriesFromFile,
  parseSessionEntries,
};
