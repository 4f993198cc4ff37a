import type { MultiBar, SingleBar } from "cli-progress";
import type { ArchiveProgress, SyncProgress } from "../../runtime/observer.ts";
import type { PurgeProgress } from "../../search/purge.ts";
import { formatBytes, formatCount, formatDuration } from "../../text/numbers.ts";
import type { Output } from "./output.ts";
import type { World } from "./world.ts";

/** How many pages of a folder are done. */
interface PagesProgress {
  phase: "pages";
  done: number;
  total: number;
}

type Progress = SyncProgress | PurgeProgress | PagesProgress | ArchiveProgress;

const LABELS = {
  files: "Reading sessions",
  search: "Full text",
  purge: "Removing words",
  pages: "Writing pages",
  move: "Moving sessions",
  verify: "Reading back",
} as const;
const DELAY_MS = 500;
/**
 * Columns beside a bar: 25 for label, percentage and gaps, the rest for amounts such as `999 MB of 99.9 GB, 59 min 59 s
 * left`.
 */
const BESIDE_BAR = 62;
const [SHORTEST_BAR, LONGEST_BAR] = [10, 40];
/** Make a terminal cut lines that are too long, and break them again (DECAWM). */
const UNBROKEN = "\u001b[?7l";
const BROKEN = "\u001b[?7h";

/** Bars on stderr, for a terminal that can draw them and only for what takes longer than half a second. */
export class ProgressBars {
  readonly #talk: Output;
  readonly #canDraw: boolean;
  readonly #steady: () => number;
  readonly #startedAt: number;
  readonly #reports = new Map<Progress["phase"], Progress>();
  readonly #bars = new Map<Progress["phase"], SingleBar>();
  #multi: MultiBar | undefined;

  constructor(talk: Output, { steady, env }: Pick<World, "steady" | "env">) {
    this.#talk = talk;
    this.#canDraw = talk.isTerminal && env.TERM !== "dumb";
    this.#steady = steady;
    this.#startedAt = steady();
  }

  /** Notes the progress of the work; `draw` shows it. */
  update(report: Progress): void {
    this.#reports.set(report.phase, report);
  }

  /** To be called where the work pauses: bars are drawn when the event loop turns. */
  async draw(): Promise<void> {
    if (!this.#canDraw || this.#steady() - this.#startedAt < DELAY_MS) return;
    // A total of 0 says that work is still being looked for, not that it is done.
    const known = [...this.#reports.values()].filter(({ total }) => total > 0);
    if (known.length === 0) return;
    const isFirst = this.#multi === undefined;
    this.#multi ??= await this.#createBars();
    for (const report of known) this.#drawOne(this.#multi, report);
    if (isFirst) this.#multi.update();
  }

  /** Removes the bars. */
  stop(): void {
    this.#multi?.stop();
    this.#multi = undefined;
    this.#bars.clear();
  }

  async #createBars(): Promise<MultiBar> {
    const progress = (await import("cli-progress")).default;
    const { stream } = this.#talk;
    const bars = new progress.MultiBar({
      stream,
      format: "{label} {bar} {percentage} %  {amount}",
      formatBar: (part: number) => progressBar(part, this.#talk.width ?? 80),
      clearOnComplete: true,
      gracefulExit: false,
      linewrap: true,
      fps: 10,
    });
    // Lines are cut to the width, and never broken, however narrow the terminal becomes. Set only while they are drawn:
    // otherwise it would stay set for the shell when a signal stops or ends this process.
    bars.on("redraw-pre", () => stream.write(UNBROKEN));
    bars.on("redraw-post", () => stream.write(BROKEN));
    return bars;
  }

  #drawOne(multi: MultiBar, report: Progress): void {
    const payload = { label: LABELS[report.phase].padEnd(16), amount: amountOf(report, this.#elapsed()) };
    const bar = this.#bars.get(report.phase) ?? multi.create(report.total, 0, payload);
    this.#bars.set(report.phase, bar);
    bar.setTotal(report.total);
    bar.update(report.done, payload);
  }

  #elapsed(): number {
    return this.#steady() - this.#startedAt;
  }
}

/** A bar that leaves room for the text beside it. `part` is from 0 to 1. */
function progressBar(part: number, width: number): string {
  const size = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, width - BESIDE_BAR));
  const done = Math.round(part * size);
  return "█".repeat(done) + "░".repeat(size - done);
}

/** `120 MB of 3.5 GB, 40 s left`. */
export function amountOf({ phase, done, total }: Progress, elapsedMs: number): string {
  const amount = ["search", "pages", "verify"].includes(phase) ? formatCount : formatBytes;
  const left = done > 0 && elapsedMs > 2000 ? (elapsedMs * (total - done)) / done : 0;
  const rest =
    left >= 1000 ? `, ${formatDuration(Math.round(left / 1000) * 1000).replace(/\.\d s/, " s")} left` : "";
  return `${amount(done)} of ${amount(total)}${rest}`;
}
