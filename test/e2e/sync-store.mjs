// Syncs a sessions root, rows and full text, as a process that may be killed at any moment. Runs the compiled program.
//
//   node test/e2e/sync-store.mjs <sessions root> <index folder>
import { writeSync } from "node:fs";
import { join } from "node:path";
import { syncAll } from "../../build/src/indexing/sync-run.js";
import { feedSearch } from "../../build/src/search/feed/feeder.js";
import { openIndex } from "../../build/src/store/open.js";

const [root, folder] = process.argv.slice(2);
writeSync(1, "ready\n");
const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
const index = openIndex(location, { busyTimeoutMs: 5000 });
syncAll(index, [root]);
feedSearch(index);
index.close();
writeSync(1, "done\n");
