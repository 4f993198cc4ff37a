/*
 * An inverted index in memory: which words stand where, in entries that are added one after the other. In AssemblyScript:
 * TypeScript's syntax, WebAssembly's numbers (`u32`; `usize` for places in memory), and `load` and `store` for what stands
 * there. `inverter.ts` is what the rest of the program sees of it.
 */
import { clearEntries, finishEntry, meet } from "./entry.ts";
import { LINE_BYTES, LINES, RUN, TEXT_BYTES, TEXTS, WORD } from "./memory.ts";
import { forgetWords, isRemembered } from "./remembered.ts";
import { runSize, writeAll } from "./run.ts";
import { findWhole } from "./terms.ts";
import { cut, cutEscaped } from "./words.ts";

export { clearEntries as clear, cut, cutEscaped, finishEntry, forgetWords, isRemembered, runSize };

/** Where a line, a text, a word belong, and where a run is written. */
export function lines(): usize {
  return LINES;
}
export function lineBytes(): usize {
  return LINE_BYTES;
}
export function texts(): usize {
  return TEXTS;
}
export function textBytes(): usize {
  return TEXT_BYTES;
}
export function word(): usize {
  return WORD;
}
export function run(): usize {
  return RUN;
}

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
