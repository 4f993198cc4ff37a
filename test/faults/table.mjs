// Names the tests of the rows of test/README.md, which are called by them; of all rows unless told.
//
//   node test/faults/table.mjs [ROW ...]
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ row: string, fault: string, promise: string, remark: string }} Row
 * @typedef {{ rows: string[], name: string, file: string }} NamedTest
 */

const tests = join(import.meta.dirname, "..");
const ROW = "(?:[A-G]\\d+|I-\\d+|L\\d+)";
/** A row of the table; the last two cells may be empty. */
const LINE = new RegExp(`^\\| (${ROW}) \\| (.*?) \\| (.*?) \\| (?:(.*) )?\\|$`, "gm");
/** A test's or a group's name that begins with its rows, as it stands in the source. */
const NAME = new RegExp(`(["'\`])(${ROW}(?:, ${ROW})*): ((?:(?!\\1).)+)\\1`, "g");
/** A fixture of test/fixtures, which several tests run under the name "row: name". */
const FIXTURE = /row:\s*"(\w+)",\s*name:\s*(["`])((?:(?!\2).)+)\2/g;

/** @returns {Row[]} */
export function readRows() {
  const table = readFileSync(join(tests, "README.md"), "utf8");
  return [...table.matchAll(LINE)].map(([, row = "", fault = "", promise = "", remark = ""]) => {
    return { row, fault, promise, remark };
  });
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
  return { rows: (isFixture ? first : second).split(", "), name, file };
}

/** @param {Row} row @param {NamedTest[]} all */
function describe({ row, fault, remark }, all) {
  const shown = all.filter(({ rows }) => rows.includes(row)).map(({ file, name }) => `  ${file}: ${name}`);
  return [`${row} ${fault}`, ...(shown.length > 0 ? shown : [`  no test: ${remark}`])].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  const rows = readRows();
  const unknown = asked.find((name) => !rows.some(({ row }) => row === name));
  if (unknown !== undefined) {
    console.error(`${unknown} is no row of test/README.md`);
    process.exit(2);
  }
  const all = readTests();
  const wanted = rows.filter(({ row }) => asked.length === 0 || asked.includes(row));
  console.log(wanted.map((row) => describe(row, all)).join("\n\n"));
}
