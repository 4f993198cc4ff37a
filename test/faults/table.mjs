// Writes test/README.md: the rows of rows.txt, each with the tests whose names begin with its number.
//
//   node test/faults/table.mjs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ row: string, fault: string, promise: string, remark: string }} Row
 * @typedef {{ title: string, rows: Row[] }} Section
 * @typedef {{ rows: string[], name: string, file: string }} NamedTest
 */

const tests = join(import.meta.dirname, "..");
const ROW = "(?:[A-F]\\d+|I-\\d+|L\\d+)";
/** A test's or a group's name that begins with its rows, as it stands in the source. */
const NAME = new RegExp(`(["'\`])(${ROW}(?:, ${ROW})*): ((?:(?!\\1).)+)\\1`, "g");
/** A fixture of test/fixtures, which several tests run under the name "row: name". */
const FIXTURE = /row:\s*"(\w+)",\s*name:\s*(["`])((?:(?!\2).)+)\2/g;
const HOW = `Rows of what the world does to session files, watching, the database and processes; what is promised; and
the tests that show it, which are called by their rows: \`npm test -- -t B7\` runs those of B7, \`-t '\\bB1\\b'\` those of
B1 without B11 and the like. Fixtures are files of \`test/fixtures\` that the index, SessionManager and pi itself read.

Made by \`node test/faults/table.mjs\` from \`test/faults/rows.txt\` and the names of the tests; do not edit.
`;

/** @returns {Section[]} */
export function readRows() {
  /** @type {Section[]} */
  const sections = [];
  for (const line of readFileSync(join(import.meta.dirname, "rows.txt"), "utf8").split("\n")) {
    if (line.startsWith("## ")) sections.push({ title: line.slice(3), rows: [] });
    else if (/^\w+(-\d+)? \|/.test(line)) {
      const [row = "", fault = "", promise = "", remark = ""] = line.split(" | ");
      sections.at(-1)?.rows.push({ row, fault, promise, remark });
    }
  }
  return sections;
}

/** @returns {NamedTest[]} */
export function readTests() {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter(
      (name) =>
        /(\.test|\.contract|^fixtures\/.*)\.ts$/.test(name) &&
        !/(^|\/)(node_modules|peers|bench)\//.test(name),
    )
    .sort();
  return files.flatMap((file) => {
    const source = readFileSync(join(tests, file), "utf8");
    const pattern = file.startsWith("fixtures/") ? FIXTURE : NAME;
    return [...source.matchAll(pattern)].map((match) => named(match, file));
  });
}

/** @param {RegExpMatchArray} match @param {string} file @returns {NamedTest} */
function named(match, file) {
  const isFixture = file.startsWith("fixtures/");
  const [, first = "", second = "", name = ""] = match;
  return { rows: (isFixture ? first : second).split(", "), name, file: isFixture ? "fixtures" : file };
}

export function makeTable() {
  const all = readTests();
  const sections = readRows().map(({ title, rows }) => {
    const lines = rows.map((row) =>
      lineOf(
        row,
        all.filter((test) => test.rows.includes(row.row)),
      ),
    );
    return [`## ${title}\n`, "| row | fault | promise | tests |", "| --- | --- | --- | --- |", ...lines, ""];
  });
  return ["# Faults, promises and tests\n", HOW, ...sections.flat()].join("\n");
}

/** @param {Row} row @param {NamedTest[]} found */
function lineOf({ row, fault, promise, remark }, found) {
  const files = [...new Set(found.map(({ file }) => file))];
  const cells = files.map((file) => {
    const names = found.filter((test) => test.file === file).map(({ name }) => plain(name));
    return `\`${file}\`: ${[...new Set(names)].join("; ")}`;
  });
  const shown = [...cells, ...(remark === "" ? [] : [`*${remark}*`])].join("<br>");
  return `| ${row} | ${fault} | ${promise} | ${shown} |`;
}

/** Placeholders of `test.each` and quotes of the source say nothing to a reader. */
function plain(/** @type {string} */ name) {
  return name
    .replace(/\$\{\w+\}|%[isj]/g, "…")
    .replaceAll("|", "\\|")
    .replace(/:? ?(\([^()]*)?…\)?$/, "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = join(tests, "README.md");
  writeFileSync(path, makeTable());
  console.log(relative(process.cwd(), path));
}
