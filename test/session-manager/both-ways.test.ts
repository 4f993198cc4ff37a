/** I-16: with an index, whatever its state, every answer is the one without. */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openIndexed } from "../../src/session/open-indexed.ts";
import { openIndex } from "../../src/store/open.ts";
import { everyOf, runs, SEED } from "../helpers/fuzz.ts";
import { indexIn } from "../helpers/open-index.ts";
import { isMissing } from "../helpers/peers.ts";
import { writePiStore } from "../helpers/pi-store.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { type Condition, conditions, type Place, syncFolderOf } from "./index-trouble.ts";
import { type Portrait, type PortraitEvents, portrait } from "./portrait.mjs";
import { ours } from "./portrait-module.ts";
import { faultFiles, randomFiles, type SourceFile, sampleFiles } from "./sources.ts";
import { difference } from "./twins.ts";

const shared = sharedTempDir();
const faults = faultFiles(shared);
const random = randomFiles(shared, runs(25));

function storeFiles(): SourceFile[] {
  const store = writePiStore({ sessions: 16, seed: 5, agentDir: join(shared, "store") });
  return store.sessions.map(({ file, kind }) => ({ name: kind, source: file, endless: false }));
}

const piFiles = isMissing("piAgentModule") ? [] : storeFiles();
const sources = [...faults, ...sampleFiles(), ...random, ...piFiles];

/** First what is done to the file, then what is done to the index. */
function both(first: PortraitEvents = {}, second: PortraitEvents = {}): PortraitEvents {
  return {
    placed: (file) => {
      for (const { placed } of [first, second]) placed?.(file);
    },
    opened: (file) => {
      for (const { opened } of [first, second]) opened?.(file);
    },
  };
}

function placeIn(dir: string): Place {
  const agentDir = join(dir, "agent");
  mkdirSync(agentDir, { recursive: true });
  vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
  return { agentDir, undo: [] };
}

/** Portraits without an index, where the file is left alone: the same for every condition. */
const plain = new Map<string, Portrait>();

async function portraitWithout(source: string, { toFile }: Condition, dir: string): Promise<Portrait> {
  const known = toFile === undefined ? plain.get(source) : undefined;
  const made = known ?? (await portrait(ours, source, dir, toFile));
  if (toFile === undefined) plain.set(source, made);
  return made;
}

async function portraitsOf(source: string, condition: Condition): Promise<[Portrait, Portrait]> {
  const dir = tempDir();
  const place = placeIn(dir);
  const without = await portraitWithout(source, condition, join(dir, "session"));
  const events = both(condition.toFile, condition.toIndex?.(place));
  const withIndex = await portrait(ours, source, join(dir, "session"), events);
  for (const undo of place.undo) undo();
  return [withIndex, without];
}

/**
 * Each file is looked at under a third of the conditions, and one that takes a second and more under a sixth of them, or
 * fewer of both: under others each time, with `ALL_CONDITIONS=1` under all.
 */
const HEAVY_BYTES = 150_000;

function isTurn(file: number, { source }: SourceFile, condition: Condition): boolean {
  const every = everyOf(statSync(source).size < HEAVY_BYTES ? 3 : 6);
  return process.env.ALL_CONDITIONS === "1" || (file + conditions.indexOf(condition) + SEED) % every === 0;
}

/** At least one: of few files, none may have its turn. */
function filesFor(condition: Condition, files: SourceFile[]): SourceFile[] {
  const chosen = files.filter((file, at) => isTurn(at, file, condition));
  const any = files[(conditions.indexOf(condition) + SEED) % files.length];
  return chosen.length > 0 || any === undefined ? chosen : [any];
}

describe.each([
  ["faults", faults],
  ["samples and pi's own", [...sampleFiles(), ...piFiles]],
  ["random entries", random],
])(`I-16: files with %s (seed ${SEED})`, (_, files) => {
  test.each(conditions)(
    "give the same answers when the index $name",
    { timeout: 300_000 },
    async (condition) => {
      const differences: string[] = [];
      for (const { name, source } of filesFor(condition, files)) {
        const found = difference(...(await portraitsOf(source, condition)));
        if (found !== null) differences.push(`${name}: ${found}`);
      }
      expect(differences).toEqual([]);
    },
  );
});

test("what pi writes is read through the index indeed", () => {
  const dir = tempDir();
  const place = placeIn(dir);
  for (const { source } of piFiles) syncFolderOf(source, place);
  const index = openIndex(indexIn(join(place.agentDir, "sessiondb")));
  const whole = piFiles.filter(({ source }) => openIndexed(source, index) === null);
  index.close();
  expect(whole.map(({ name }) => name)).toEqual([]);
  expect(sources.length).toBeGreaterThan(80);
});
