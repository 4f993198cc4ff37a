import { type NameOptions, resolvePlace } from "../filters/resolve-session.ts";
import {
  type CheckedFile,
  checkedFiles,
  type Verification,
  Verifier,
} from "../reports/verify/verify-sessions.ts";
import type { Index } from "../store/open.ts";
import { deletionEpoch } from "../store/statements.ts";
import type { ApiContext } from "./api-context.ts";
import { ATTEMPTS } from "./ask.ts";
import { isExcludedBy } from "./exclusions.ts";
import { healing } from "./healing.ts";
import { usingIndex } from "./in-index.ts";
import { noteEmptied, noteMissingRoots } from "./notes.ts";
import { breathe, syncRows, type Work } from "./steps.ts";

export interface VerifyOptions {
  /** Whether to catch up first; else the index is only read, as it stands. */
  sync: boolean;
  /** Sessions, as a person names them; all where none is named. */
  names: readonly string[];
  naming: NameOptions;
}

/**
 * Compares every entry and every cent of the index with the session files. A damaged index is made anew first.
 *
 * @throws SessionDbError as `healing`, `openIndex` and `resolvePlace`; Interrupted
 */
export function verifyIndex(api: ApiContext, options: VerifyOptions): Promise<Verification> {
  return healing(api, (_api, isAnew) => verifyOnce(api, { ...options, sync: options.sync || isAnew }));
}

async function verifyOnce(api: ApiContext, options: VerifyOptions): Promise<Verification> {
  const readonly = !options.sync;
  if (!readonly) noteMissingRoots(api);
  return usingIndex(api.config.location, { readonly }, async (index) => {
    const progress = await api.progress();
    try {
      if (!readonly) noteEmptied(api, index, { search: true });
      return await api.interruptible(async (signal) => {
        const work = { api, index, progress, signal };
        return readonly ? check(work, options, undefined) : verifiedUpToDate(work, options);
      });
    } finally {
      progress.stop();
    }
  });
}

async function verifiedUpToDate(work: Work, options: VerifyOptions): Promise<Verification> {
  for (let attempt = 1; ; attempt++) {
    const epoch = await catchUpWholly(work);
    const found = await checkTwice(work, options);
    if (attempt === ATTEMPTS || deletionEpoch(work.index.database) === epoch) return found;
  }
}

async function checkTwice(work: Work, options: VerifyOptions): Promise<Verification> {
  const first = await check(work, options, undefined);
  if (first.differences.length === 0) return first;
  // Sessions that are being written go on growing, so differences are checked once more.
  await catchUpWholly(work);
  return check(work, options, first);
}

/** Brings the index up to date, and returns its deletion epoch of that moment. */
async function catchUpWholly(work: Work): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const epoch = deletionEpoch(work.index.database);
    await syncRows(work);
    const { catchUpSearch } = await import("./full-text.ts");
    await catchUpSearch(work, { deadline: Number.POSITIVE_INFINITY });
    if (attempt === ATTEMPTS || deletionEpoch(work.index.database) === epoch) return epoch;
  }
}

/**
 * Checks what was asked for. After a `first` check only what differed in it, so sessions begun meanwhile do not count.
 */
async function check(
  { api, index, progress, signal }: Work,
  { names, naming }: VerifyOptions,
  first: Verification | undefined,
): Promise<Verification> {
  const { roots } = api.config;
  const asked = names.length === 0 ? undefined : filesNamed(index, names, naming);
  const differed = first && new Set(first.differences.map(({ where }) => where));
  const files = asked ?? checkedFiles(index, roots);
  const chosen = differed === undefined ? files : files.filter(({ path }) => differed.has(path));
  const verifier = new Verifier(index);
  const total = chosen.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  try {
    for (const file of chosen) {
      verifier.file(file);
      done += file.size;
      progress.update({ phase: "files", done, total });
      await breathe(progress, signal);
    }
  } finally {
    verifier.close();
  }
  verifier.counted(asked);
  verifier.spent(roots, asked);
  verifier.families(asked);
  if (asked === undefined) verifier.presence(roots, isExcludedBy(api.config));
  const { differences } = verifier.result;
  if (first === undefined) return verifier.result;
  // The numbers are those of the first check, which counted everything.
  return { ...first, differences: differences.filter(({ where }) => differed?.has(where)) };
}

/** The files that are named, in that order, each once. */
function filesNamed(index: Index, names: readonly string[], naming: NameOptions): CheckedFile[] {
  const known = new Map(checkedFiles(index).map((file) => [file.fileId, file]));
  const ids = names.map((name) => resolvePlace(index, name, naming).ref.fileId);
  return [...new Set(ids)].flatMap((id) => known.get(id) ?? []);
}
