import { parseSessionEntries } from "../../src/format/parse.ts";
import { MemoryTree } from "../../src/session/memory-tree.ts";
import { describeEntryTree } from "./entry-tree.contract.ts";

describeEntryTree("MemoryTree", (text) => {
  // A byte order mark makes the first line unreadable in a file; `parseSessionEntries` would pass over it.
  const values = parseSessionEntries(`\n${text.toString("utf8")}`);
  return new MemoryTree(values.filter(Boolean));
});
