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
    peak("sync a line of 100 MB", oneFile(place, 1, 100_000_000)),
    peak(`sync ${(3 * files).toLocaleString("en-US")} sessions, from nothing`, manyFiles(place, 3 * files)),
    peak(`list ${files.toLocaleString("en-US")} sessions as JSON`, list.peakMb),
  ];
}

function peak(what, megabytes) {
  return timesAsMuch(what, BOUND, megabytes, 1, "MB");
}

/** One session with `images` images of `bytes` bytes each. */
function oneFile(place, images, bytes) {
  const { report, peakMb } = fromNothing(place, (root) => {
    mkdirSync(root);
    writeImages(join(root, "images.jsonl"), images, bytes);
  });
  assertEqual("entries", report.entries.added, images);
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

function writeImages(path, images, bytes) {
  const fd = openSync(path, "wx");
  const timestamp = "2026-01-01T00:00:00.000Z";
  writeSync(fd, `${JSON.stringify({ type: "session", version: 3, id: "images", timestamp, cwd: "/" })}\n`);
  const data = Buffer.alloc(bytes, "iVBORw0KGgoAAAANSUhEUgAA");
  for (let at = 0; at < images; at++) {
    const id = at.toString(16).padStart(8, "0");
    const parentId = at === 0 ? null : (at - 1).toString(16).padStart(8, "0");
    const content = [{ type: "image", data: "@", mimeType: "image/png" }];
    const entry = {
      type: "message",
      id,
      parentId,
      timestamp,
      message: { role: "user", content, timestamp: 0 },
    };
    const [before, after] = JSON.stringify(entry).split("@");
    for (const part of [before, data, `${after}\n`]) writeSync(fd, part);
  }
  closeSync(fd);
}
