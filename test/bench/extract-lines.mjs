#!/usr/bin/env node
import { parseLine } from "../../build/src/format/parse.js";
// From lines to records: by src/format/tape/extract.ts and by src/format/parse.ts, in one run; and the part of that which is
// just going through the lines. CPU time of all threads, because garbage of parsing is collected by others, too.
import { recordOf } from "../../build/src/format/record.js";
import { extractLine } from "../../build/src/format/tape/extract.js";
import { Tape } from "../../build/src/format/tape/tape.js";
import { corpusLines, cpuOf } from "./corpus-lines.mjs";
import { assertEqual, inTurn, median } from "./measure.mjs";
import { asMarkdown, timesLess } from "./rows.mjs";

const ROUNDS = 9;

/** How many UTF-16 units were said in all. @param {Buffer[]} lines @param {typeof parseLine} understand */
function recorded(lines, understand) {
  let spoken = 0;
  for (const line of lines) {
    const parsed = understand(line);
    if (parsed.kind === "entry") spoken += recordOf(parsed.entry).spoken.length;
  }
  return spoken;
}

const rows = [];
const tape = new Tape();
for (const { what, lines } of corpusLines("extract-lines")) {
  const results = await inTurn(
    {
      parsed: () => cpuOf(() => recorded(lines, parseLine)),
      extracted: () => cpuOf(() => recorded(lines, extractLine)),
      parsedOnly: () => cpuOf(() => lines.reduce((sum, line) => sum + parseLine(line).kind.length, 0)),
      scannedOnly: () => cpuOf(() => lines.reduce((sum, line) => sum + (tape.scan(line) ? 5 : 6), 0)),
    },
    ROUNDS,
  );
  assertEqual(what, results.extracted[0].value, results.parsed[0].value);
  const [parsed, extracted, parsedOnly, scannedOnly] = Object.values(results).map((all) =>
    median(all.map(({ ms }) => ms)),
  );
  rows.push(timesLess(`${what}, recorded`, { name: "parsed", value: parsed }, extracted, null));
  rows.push(timesLess(`${what}, gone through`, { name: "parsed", value: parsedOnly }, scannedOnly, null));
}
console.log(asMarkdown(rows));
