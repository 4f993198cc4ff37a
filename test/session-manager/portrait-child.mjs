// Run as `node portrait-child.mjs VERSION MODULE SOURCE=DIR...`: prints the portrait that this pi gives of each file as a line of JSON.
import { pathToFileURL } from "node:url";
import { withFirstWriteOf1x } from "./first-write.mjs";
import { portrait } from "./portrait.mjs";

const [version, modulePath, ...jobs] = process.argv.slice(2);
const module = await import(pathToFileURL(modulePath).href);
if (version === "0.87.1") withFirstWriteOf1x(module.SessionManager);
for (const job of jobs) {
  const [source, dir] = job.split("=");
  process.stdout.write(`${JSON.stringify(await portrait(module, source, dir))}\n`);
}
