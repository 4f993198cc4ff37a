/** Moves one session file into the archive, or back, in a process of its own: `pack` or `unpack`, the session file, the packed file. */
import { packAway, unpackTo } from "../../build/src/files/archive-file.js";

const [how, original, packed] = process.argv.slice(2);
try {
  if (how === "pack") packAway(original, packed);
  else unpackTo(original, packed);
} catch (error) {
  console.log(error.code ?? error.stack);
  process.exitCode = 1;
}
