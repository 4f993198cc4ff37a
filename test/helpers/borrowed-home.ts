import { existsSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { moveInto, TEST_HOMES } from "./home-environment.ts";
import { removeFolder } from "./remove-folder.ts";

/** Global set-up: before any test process starts, HOME and similar variables point into a temporary folder. */
export default function borrowHome(): () => void {
  const homes = mkdtempSync(join(shortTmpdir(), "sessiondb-homes-"));
  process.env[TEST_HOMES] = homes;
  moveInto(homes);
  return () => removeFolder(homes);
}

/** The longest path of the temporary folder: the homes hold sockets, whose paths may have a hundred bytes only. */
const LONGEST = 25;

function shortTmpdir(): string {
  const places = [realpathSync(tmpdir()), "/tmp"];
  return places.find((place) => place.length <= LONGEST && existsSync(place)) ?? realpathSync(tmpdir());
}
