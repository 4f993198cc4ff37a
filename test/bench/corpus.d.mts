/** Types of `corpus.mjs`, which runs without a compiler. */
export type CorpusName = "M" | "L" | "B100";

export interface CorpusShape {
  sessions: number;
  projects: number;
  bytes: number;
  median: number;
  largest: number;
  bytesPerLine: number;
  forks: number;
  entries?: number;
  quick: number;
}

export interface MadeCorpus {
  /** The sessions root. */
  root: string;
  sessions: number;
  bytes: number;
  /** Without headers, and without entries that forks copied. */
  entries: number;
}

export interface MeasuredCorpus {
  sessions: number;
  projects: number;
  bytes: number;
  medianFile: number;
  largestFile: number;
  entries: number;
  bytesPerLine: number;
  percent: {
    text: number;
    userAndAssistantText: number;
    images: number;
    signatures: number;
    chineseAndJapanese: number;
  };
  forks: number;
  copiedEntries: number;
  compactions: number;
  branchSummaries: number;
  branchings: number;
  models: string[];
  costInFiles: number;
  /**
   * How often a word occurs on average, among the words that occur: in tool outputs of 1,500 to 3,000 characters, and
   * in the first 50,000 words of sessions that have so many.
   */
  timesEachWord: { inToolOutputs: number; inSessions: number };
}

export const CORPORA: Record<CorpusName, CorpusShape>;

/** Writes a corpus below `root`, which is made if missing and must be empty; `scale` 0.1 is a tenth of the corpus. */
export function makeCorpus(
  name: CorpusName,
  root: string,
  options?: { seed?: number; scale?: number },
): MadeCorpus;

/** Reads a corpus back and measures what it holds. */
export function measureCorpus(root: string): MeasuredCorpus;
