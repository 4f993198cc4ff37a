import { mkdirSync, mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { moveInto, TEST_HOMES } from "./home-environment.ts";

// Runs first in the process of every test file: each gets a fresh home, and no test runs in the real one.
const homes = process.env[TEST_HOMES];
if (homes === undefined)
  throw new Error("Tests run through vitest.config.ts only: it keeps them out of your home.");
const home = mkdtempSync(join(homes, "home-"));
moveInto(home);
mkdirSync(join(home, ".run"), { mode: 0o700 });
if (!homedir().startsWith(homes + sep)) throw new Error(`Refusing to test in ${homedir()}.`);
