import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LogFile } from "../../../daemon/control/log.ts";
import { asNobody } from "../../files/as-nobody.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const now = () => NOW;

test("a line is a JSON object with time and event, in a file of its owner's", () => {
  const path = join(tempDir(), "daemon.log");
  const log = new LogFile(path, { now });
  log.write("started", { pid: 7 });
  log.write("odd", { path: "a\nb" });
  expect(
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { time: "2026-11-20T12:00:00.000Z", event: "started", pid: 7 },
    { time: "2026-11-20T12:00:00.000Z", event: "odd", path: "a\nb" },
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a full log becomes the old one, and one old one is kept", () => {
  const folder = tempDir();
  const path = join(folder, "daemon.log");
  for (let line = 0; line < 100; line++) new LogFile(path, { now, maxBytes: 1000 }).write("line", { line });
  expect(readdirSync(folder).sort()).toEqual(["daemon.log", "daemon.log.1"]);
  const kept = ["daemon.log.1", "daemon.log"].map((name) => readFileSync(join(folder, name), "utf8"));
  expect(Math.max(...kept.map((text) => text.length))).toBeLessThanOrEqual(1000);
  const numbers = kept
    .join("")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text).line);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => 100 - numbers.length + i));
});

test("whoever goes on writing puts a log aside each time it is full, and not sooner", () => {
  const path = join(tempDir(), "daemon.log");
  const log = new LogFile(path, { now, maxBytes: 1000 });
  for (let line = 0; line < 100; line++) log.write("line", { line });
  const sizes = [path, `${path}.1`].map((each) => statSync(each).size);
  const lineBytes = readFileSync(path).indexOf("\n") + 1;
  expect(sizes[1]).toBeGreaterThan(1000 - lineBytes);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
});

test("a log is full by its bytes, of which some characters have several", () => {
  const path = join(tempDir(), "daemon.log");
  const log = new LogFile(path, { now, maxBytes: 1200 });
  for (let line = 0; line < 20; line++) log.write("line", { path: "é".repeat(300) });
  const sizes = [path, `${path}.1`].map((each) => statSync(each).size);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1200);
});

test("nothing is written through a link that somebody has put in its place", () => {
  const folder = tempDir();
  const [path, target] = [join(folder, "daemon.log"), join(folder, "target")];
  writeFileSync(target, "mine\n");
  symlinkSync(target, path);
  new LogFile(path, { now }).write("started");
  expect(readFileSync(target, "utf8")).toBe("mine\n");
});

test("a full log that cannot be put aside is written to all the same", () => {
  const folder = tempDir();
  const path = join(folder, "daemon.log");
  writeFileSync(path, "full\n", { mode: 0o666 });
  chmodSync(path, 0o666);
  chmodSync(folder, 0o555);
  expect(() => asNobody(() => new LogFile(path, { maxBytes: 1 }).write("line"))).not.toThrow();
});

test("a log that was taken away is begun again", () => {
  const path = join(tempDir(), "daemon.log");
  const log = new LogFile(path, { maxBytes: 100 });
  for (let line = 0; line < 3; line++) {
    log.write("line");
    rmSync(path);
  }
  log.write("last");
  expect(readFileSync(path, "utf8")).toContain("last");
});
