/*
 * An inverted index in memory: which words stand where, in entries that are added one after the other. In AssemblyScript:
 * TypeScript's syntax, WebAssembly's numbers (`u32`; `usize` for places in memory), and `load` and `store` for what stands
 * there. `inverter.ts` is what the rest of the program sees of it.
 */
import { clearEntries, finishEntry, meet } from "./entry.ts";
import { LINE_BYTES, LINES, LONGEST_WORD, RUN, TEXT_BYTES, TEXTS, WORD } from "./memory.ts";
import { forgetWords, isRemembered } from "./remembered.ts";
import { runSize, writeAll } from "./run.ts";
import { findWhole } from "./terms.ts";
import { cut, cutEscaped } from "./words.ts";

/** Where lines, texts and a word belong, and where a run is written; and how many bytes there are for them. */
export {
  clearEntries as clear,
  cut,
  cutEscaped,
  finishEntry,
  forgetWords,
  isRemembered,
  LINE_BYTES as lineBytes,
  LINES as lines,
  LONGEST_WORD as wordBytes,
  RUN as run,
  runSize,
  TEXT_BYTES as textBytes,
  TEXTS as texts,
  WORD as word,
};

/** A word of the present entry whose letters are what they become. */
export function put(length: u32): void {
  meet(findWhole(WORD, length));
}

/** Writes all that was added as a run, and begins anew. Returns how many bytes it has. */
export function writeRun(): u32 {
  const bytes = writeAll();
  clearEntries();
  return bytes;
}
