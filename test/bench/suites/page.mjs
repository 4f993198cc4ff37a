/** What a person waits for at the page of `sessiondb serve`: in Chromium, against the time that is allowed for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { median, REPEATS, timed } from "../measure.mjs";
import { timesAsMuch } from "../rows.mjs";

const BROWSER = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const QUERIES = ["parse config", "token error", "window tree"];

/** @param {import("../bench.mjs").Place} place */
export async function page(place) {
  if (!existsSync(BROWSER)) {
    console.error("not installed, so the page is not measured: chromium");
    return [];
  }
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: BROWSER, args });
  try {
    return [
      ...(await served(place, place.corpora.L, browser, listOf)),
      ...(await served(place, place.corpora.M, browser, searchIn)),
      ...(await served(place, place.corpora.B100, browser, readerOf)),
    ];
  } finally {
    await browser.close();
  }
}

/** Measures with a page over a corpus that may ask. */
async function served({ main }, { root, folder }, browser, measure) {
  const at = ["--sessions-dir", root, "--db", join(folder, "index-v1.db")];
  const server = spawn(process.execPath, [main, "serve", "--no-open", "--no-sync", "--port", "0", ...at], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [printed] = await once(server.stdout, "data");
    const link = new URL(String(printed).trim());
    const view = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await view.goto(link.href);
    while (!(await view.evaluate("localStorage.length > 0"))) await view.waitForTimeout(50);
    return await measure(view, (path) => view.goto(new URL(path, link).href), root);
  } finally {
    server.kill("SIGKILL");
  }
}

async function listOf(view, go) {
  const paints = [];
  const rows = await repeated(async () => {
    await go("/sessions");
    await view.waitForSelector("tbody tr[aria-rowindex]");
    paints.push(
      await view.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"),
    );
  });
  const frames = await view.evaluate(async () => {
    const times = [];
    const { scrollHeight } = document.documentElement;
    for (let step = 0, last = performance.now(); step < 200; step++) {
      scrollTo(0, (scrollHeight * step) / 200);
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times.toSorted((a, b) => a - b);
  });
  return [
    within("the page of 20,000 sessions: first paint", 250, median(paints)),
    within("its first rows", 300, rows),
    within("a frame while all of them are scrolled through, 95 % of frames", 33, frames[190]),
  ];
}

async function searchIn(view, go) {
  await go("/search");
  const times = [];
  for (const query of QUERIES) {
    await view.fill("#search", "");
    for (let end = 1; end <= query.length; end++) {
      const text = query.slice(0, end);
      const answered = view.waitForResponse((answer) => new URL(answer.url()).searchParams.get("q") === text);
      const { ms } = await timed(async () => {
        await view.keyboard.type(text.at(-1));
        await answered;
        await view.waitForSelector("[aria-busy=true]", { state: "detached" });
      });
      times.push(ms);
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  return [
    within("a key to its hits in 630 MB, the median", 180, median(times)),
    within("the same, 95 % of keys", 300, sorted[Math.floor(sorted.length * 0.95)]),
  ];
}

async function readerOf(view, go, root) {
  const [file = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((each) =>
    each.endsWith(".jsonl"),
  );
  const id = file.replace(/^.*_/, "").replace(".jsonl", "");
  const shown = (path) => async () => {
    await go(path);
    await view.waitForSelector(".transcript [data-place]");
  };
  const lines = readFileSync(join(root, file), "latin1").trimEnd().split("\n").length;
  const first = await repeated(shown(`/s/${id}`));
  const last = await repeated(shown(`/s/${id}:${lines}`));
  const heap = await view.evaluate("performance.memory.usedJSHeapSize / 1e6");
  return [
    within("a session of 100 MB: what is read first", 1500, first),
    within("the same at its end", 1500, last),
    within("memory of the page that shows it", 60, heap, "MB"),
  ];
}

async function repeated(work) {
  const times = [];
  for (let round = 0; round < REPEATS; round++) times.push((await timed(work)).ms);
  return median(times);
}

/** A figure against what it may be. */
function within(what, limit, own, unit = "ms") {
  return timesAsMuch(what, { name: `${limit} ${unit}`, value: limit }, own, 1, unit);
}
