/** The peak of memory for large inputs: many images in a session, one long line, many sessions. */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { CORPORA, makeCorpus } from "../corpus.mjs";
import { assertEqual, command } from "../measure.mjs";
import { timesAsMuch } from "../rows.mjs";

/** The bound for every corpus and every length of lines. */
const BOUND = { name: "350 MB", value: 350 };

/** @param {import("../bench.mjs").Place} place */
export async function memory(place) {
  const [images, longLines] = place.quick ? [100, 5] : [1000, 20];
  const { root, folder, files } = place.corpora.L;
  const list = command(place.main, [
    "list",
    "--json",
    "--limit",
    "0",
    "--no-sync",
    "--sessions-dir",
    root,
    "--db",
    join(folder, "index-v1.db"),
  ]);
  assertEqual("sessions listed", JSON.parse(list.stdout).sessions.length, files);
  return [
    peak(
      `sync a session of ${((images * 2) / 1000).toFixed(1)} GB made of images`,
      oneFile(place, images, 2_000_000),
    ),
    peak(`sync ${longLines} lines of 60 MB, each with an image`, oneFile(place, longLines, 60_000_000)),
    peak(`sync ${longLines} lines of 60 MB, each with a text`, oneFile(place, longLines, 60_000_000, TEXT)),
    peak("sync a line of 100 MB", oneFile(place, 1, 100_000_000)),
    peak(`sync ${(3 * files).toLocaleString("en-US")} sessions, from nothing`, manyFiles(place, 3 * files)),
    peak(`list ${files.toLocaleString("en-US")} sessions as JSON`, list.peakMb),
  ];
}

function peak(what, megabytes) {
  return timesAsMuch(what, BOUND, megabytes, 1, "MB");
}

/** What a message holds, and how its long part goes on and on: as pi writes it. */
const IMAGE = {
  block: { type: "image", data: "@", mimeType: "image/png" },
  part: "iVBORw0KGgoAAAANSUhEUgAA",
};
const TEXT = { block: { type: "text", text: "@" }, part: "const größe = 天気.map(x)\\n" };

/** One session with `count` messages of `bytes` bytes each. */
function oneFile(place, count, bytes, { block, part } = IMAGE) {
  const long = Buffer.from(part.repeat(bytes / Buffer.byteLength(part)));
  const { report, peakMb } = fromNothing(place, (root) => {
    mkdirSync(root);
    writeMessages(join(root, "long.jsonl"), count, block, long);
  });
  assertEqual("entries", report.entries.added, count);
  return peakMb;
}

function manyFiles(place, count) {
  const scale = count / CORPORA.L.sessions;
  const { report, peakMb } = fromNothing(place, (root) => makeCorpus("L", root, { scale }));
  assertEqual("files", report.files.indexed, count);
  return peakMb;
}

/** Indexes what `write` writes into a sessions root. Returns what `sync` says, and its peak of memory in MB. */
function fromNothing(place, write) {
  const dir = mkdtempSync(join(place.dir, "memory-"));
  const root = join(dir, "sessions");
  try {
    write(root);
    const db = join(dir, "index-v1.db");
    const { stdout, peakMb } = command(place.main, ["sync", "--json", "--sessions-dir", root, "--db", db]);
    return { report: JSON.parse(stdout), peakMb };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** @param long stands in the lines where the block has an @ */
function writeMessages(path, count, block, long) {
  const fd = openSync(path, "wx");
  const timestamp = "2026-01-01T00:00:00.000Z";
  writeSync(fd, `${JSON.stringify({ type: "session", version: 3, id: "long", timestamp, cwd: "/" })}\n`);
  for (let at = 0; at < count; at++) {
    const id = at.toString(16).padStart(8, "0");
    const parentId = at === 0 ? null : (at - 1).toString(16).padStart(8, "0");
    const message = { role: "user", content: [block], timestamp: 0 };
    const [before, after] = JSON.stringify({ type: "message", id, parentId, timestamp, message }).split("@");
    for (const piece of [before, long, `${after}\n`]) writeSync(fd, piece);
  }
  closeSync(fd);
}
