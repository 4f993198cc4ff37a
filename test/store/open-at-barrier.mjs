// Opens an index as one of several processes that all begin at once: says "ready", waits for its input to end, opens,
// and prints what came of it. Runs the compiled program.
//
//   node test/store/open-at-barrier.mjs <folder>
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openIndex } from "../../build/src/store/open.js";

const folder = process.argv[2];
process.stdout.write("ready\n");
readFileSync(0);
console.log(JSON.stringify(outcome()));

function outcome() {
  const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
  try {
    const index = openIndex(location, { busyTimeoutMs: 20_000 });
    const id = index.database.prepare("SELECT value FROM meta WHERE name = 'index_id'").pluck().get();
    // Of the rows: the full text is opened next.
    const { wasEmptied } = index;
    index.search.prepare("SELECT count(*) FROM entry_text").get();
    index.close();
    return { id, wasEmptied };
  } catch (error) {
    return { code: error.code ?? "", message: error.message };
  }
}
