import { existsSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { moveInto, TEST_HOMES } from "./home-environment.ts";
import { removeFolder } from "./remove-folder.ts";

/** Global set-up: before any test process starts, HOME and its like point into a temporary folder. */
export default function borrowHome(): () => void {
  const homes = mkdtempSync(join(shortTmpdir(), "sessiondb-homes-"));
  process.env[TEST_HOMES] = homes;
  moveInto(homes);
  return () => removeFolder(homes);
}

/** So long may the path of the temporary folder be: sockets lie in the homes, and their paths have a hundred bytes. */
const LONGEST = 25;

function shortTmpdir(): string {
  const places = [realpathSync(tmpdir()), "/tmp"];
  return places.find((place) => place.length <= LONGEST && existsSync(place)) ?? realpathSync(tmpdir());
}
