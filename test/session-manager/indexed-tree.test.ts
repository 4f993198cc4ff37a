import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openIndex } from "../../src/db/open.ts";
import type { EntryTree } from "../../src/session/entry-tree.ts";
import { parseSessionEntries } from "../../src/session/load.ts";
import { MemoryTree } from "../../src/session/memory-tree.ts";
import { openIndexed } from "../../src/session/open-indexed.ts";
import { syncAll } from "../../src/sync/sync-all.ts";
import { indexIn } from "../helpers/open-index.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { describeEntryTree } from "./entry-tree.contract.ts";

const folder = sharedTempDir();
let made = 0;

/** Indexes the first part of a file, then lets the rest arrive. Damaged files are read whole, as a session is. */
function treeThroughIndex(text: Buffer, part: number): EntryTree {
  const root = join(folder, String(made++));
  const path = join(root, "session.jsonl");
  mkdirSync(root);
  const cut = text.lastIndexOf("\n", Math.floor(text.length * part)) + 1;
  writeFileSync(path, text.subarray(0, cut));
  const index = openIndex(indexIn(join(folder, "index")));
  syncAll(index, [root]);
  appendFileSync(path, text.subarray(cut));
  return openIndexed(path, index)?.tree ?? new MemoryTree(parseSessionEntries(`\n${text}`).filter(Boolean));
}

describeEntryTree("an indexed tree without a tail", (text) => treeThroughIndex(text, 1));
describeEntryTree("an indexed tree with a tail", (text) => treeThroughIndex(text, 0.5));
