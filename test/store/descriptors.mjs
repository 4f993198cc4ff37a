// Opens an index again and again with 0, 1, 2, ... descriptors left, and prints what came of each, a line of JSON.
// Arguments: the built library, a folder, how many descriptors to leave at most.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";

const [library, folder, most] = process.argv.slice(2);
const { openIndex } = await import(library);

function holdAll() {
  const held = [];
  try {
    for (;;) held.push(openSync("/dev/null"));
  } catch {
    return held;
  }
}

function tryWith(left) {
  const held = holdAll();
  for (const fd of held.splice(0, left)) closeSync(fd);
  let index = null;
  try {
    index = openIndex({ indexPath: join(folder, "i.db"), searchPath: join(folder, "s.db") });
    return { said: "", by: String(index.search.open) };
  } catch (error) {
    return { said: `${error.message}`, by: String(error.cause?.code) };
  } finally {
    index?.close();
    for (const fd of held) closeSync(fd);
  }
}

// Once before, so that what is loaded when first used is there.
tryWith(100);
for (let left = 0; left <= Number(most); left++) console.log(JSON.stringify(tryWith(left)));
