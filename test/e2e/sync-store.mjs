// Syncs a sessions root, rows and full text, as a process that may be killed at any moment. Runs the compiled program.
//
//   node test/e2e/sync-store.mjs <sessions root> <index folder>
import { writeSync } from "node:fs";
import { join } from "node:path";
import { openIndex } from "../../build/src/store/open.js";
import { feedSearch } from "../../build/src/sync/full-text/search-feed.js";
import { syncAll } from "../../build/src/sync/sync-all.js";

const [root, folder] = process.argv.slice(2);
writeSync(1, "ready\n");
const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
const index = openIndex(location, { busyTimeoutMs: 5000 });
syncAll(index, [root]);
feedSearch(index);
index.close();
writeSync(1, "done\n");
