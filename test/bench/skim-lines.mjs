#!/usr/bin/env node
// From lines to digests: by src/format/skim.ts and by src/format/parse.ts, in one run; and the part of that which is
// just going through the lines. CPU time of all threads, because garbage of parsing is collected by others, too.
import { digestOf } from "../../build/src/format/digest.js";
import { LineTape } from "../../build/src/format/line-tape.js";
import { parseLine } from "../../build/src/format/parse.js";
import { skimLine } from "../../build/src/format/skim.js";
import { corpusLines, cpuOf } from "./corpus-lines.mjs";
import { assertEqual, inTurn, median } from "./measure.mjs";
import { asMarkdown, timesLess } from "./rows.mjs";

const ROUNDS = 9;

/** How many UTF-16 units were said in all. @param {Buffer[]} lines @param {typeof parseLine} understand */
function digested(lines, understand) {
  let spoken = 0;
  for (const line of lines) {
    const parsed = understand(line);
    if (parsed.kind === "entry") spoken += digestOf(parsed.entry).spoken.length;
  }
  return spoken;
}

const rows = [];
const tape = new LineTape();
for (const { what, lines } of corpusLines("skim-lines")) {
  const results = await inTurn(
    {
      parsed: () => cpuOf(() => digested(lines, parseLine)),
      skimmed: () => cpuOf(() => digested(lines, skimLine)),
      parsedOnly: () => cpuOf(() => lines.reduce((sum, line) => sum + parseLine(line).kind.length, 0)),
      scannedOnly: () => cpuOf(() => lines.reduce((sum, line) => sum + (tape.scan(line) ? 5 : 6), 0)),
    },
    ROUNDS,
  );
  assertEqual(what, results.skimmed[0].value, results.parsed[0].value);
  const [parsed, skimmed, parsedOnly, scannedOnly] = Object.values(results).map((all) =>
    median(all.map(({ ms }) => ms)),
  );
  rows.push(timesLess(`${what}, digested`, { name: "parsed", value: parsed }, skimmed, null));
  rows.push(timesLess(`${what}, gone through`, { name: "parsed", value: parsedOnly }, scannedOnly, null));
}
console.log(asMarkdown(rows));
