/** Indexing from nothing beside a bare read-and-parse, how large the index gets, and a sync with nothing to do. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { assertEqual, command, inChild, inTurn, median } from "../measure.mjs";
import { timesAsMuch, timesLess } from "../rows.mjs";

/** @param {import("../bench.mjs").Place} place */
export async function indexing(place) {
  const { root, bytes } = place.corpora.M;
  /** @template T @param {(folder: string) => T} work */
  const inFolder = (work) => {
    const folder = mkdtempSync(join(place.dir, "from-nothing-"));
    try {
      return { ...work(folder), size: sizeOf(folder) };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const { base, rows, everything } = await inTurn({
    base: () => inChild(["readAndParse", root]),
    rows: () => inFolder((folder) => inChild(["rows", place.built, folder, root])),
    everything: () => inFolder((folder) => sync(place, folder, root)),
  });
  // One line of each file is its header.
  assertEqual("entries", rows[0].entries, base[0].lines - rows[0].files);
  const of = (results, name) => median(results.map((result) => result[name]));
  const peer = { name: "bare read and parse", value: of(base, "ms") };
  const mb = { name: "the session files", value: bytes / 1e6 };
  const megabytes = mb.value.toFixed(0);
  return [
    share(`rows of ${megabytes} MB from nothing`, peer, of(rows, "ms"), 0.45),
    share(`everything of ${megabytes} MB from nothing, the whole command`, peer, of(everything, "ms"), 0.17),
    timesAsMuch(
      "memory at the peak of that",
      { name: "350 MB", value: 350 },
      of(everything, "peakMb"),
      1,
      "MB",
    ),
    timesAsMuch("size of both databases", mb, of(everything, "size") / 1e6, 0.35, "MB"),
    ...nothingToDo(place),
  ];
}

/** Our speed as a share of the peer's. */
function share(what, peer, own, target) {
  return timesLess(what, peer, own, target);
}

function sync(place, folder, root) {
  return command(place.main, ["sync", "--sessions-dir", root, "--db", join(folder, "index-v1.db")]);
}

function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function nothingToDo(place) {
  const { root, folder, files } = place.corpora.L;
  const { walkMs, syncMs, firstMs } = inChild(["nothingToDo", place.built, folder, root]);
  const peer = { name: "bare walk with stat", value: walkMs };
  const what = `sync with nothing to do, ${files.toLocaleString("en-US")} files`;
  return [
    timesAsMuch(`${what}, in a process that has looked before`, peer, syncMs, 1.2),
    timesAsMuch("the same, the first time in a process", peer, firstMs, null),
  ];
}
