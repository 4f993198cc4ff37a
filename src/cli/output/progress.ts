import type { MultiBar, SingleBar } from "cli-progress";
import type { SyncProgress } from "../../sync/progress.ts";
import type { World } from "../world.ts";
import { formatBytes, formatCount, formatDuration } from "./numbers.ts";
import type { Output } from "./output.ts";

const LABELS = { files: "Reading sessions", search: "Full text" } as const;
const DELAY_MS = 500;

/** Bars on stderr, for a terminal that can draw them and only for what takes longer than half a second. */
export class ProgressBars {
  readonly #talk: Output;
  readonly #canDraw: boolean;
  readonly #steady: () => number;
  readonly #startedAt: number;
  readonly #reports = new Map<SyncProgress["phase"], SyncProgress>();
  readonly #bars = new Map<SyncProgress["phase"], SingleBar>();
  #multi: MultiBar | undefined;

  constructor(talk: Output, { steady, env }: Pick<World, "steady" | "env">) {
    this.#talk = talk;
    this.#canDraw = talk.isTerminal && env.TERM !== "dumb";
    this.#steady = steady;
    this.#startedAt = steady();
  }

  /** Notes how far the work is; `draw` shows it. */
  update(report: SyncProgress): void {
    this.#reports.set(report.phase, report);
  }

  /** To be called where the work pauses: bars are drawn when the event loop turns. */
  async draw(): Promise<void> {
    if (!this.#canDraw || this.#steady() - this.#startedAt < DELAY_MS) return;
    // Where work is still being looked for nothing is known of it, least of all that it is done.
    const known = [...this.#reports.values()].filter(({ total }) => total > 0);
    if (known.length === 0) return;
    const isFirst = this.#multi === undefined;
    this.#multi ??= await this.#createBars();
    for (const report of known) this.#drawOne(this.#multi, report);
    if (isFirst) this.#multi.update();
  }

  /** Takes the bars away. */
  stop(): void {
    this.#multi?.stop();
    this.#multi = undefined;
    this.#bars.clear();
  }

  async #createBars(): Promise<MultiBar> {
    const progress = (await import("cli-progress")).default;
    return new progress.MultiBar({
      stream: this.#talk.stream,
      format: "{label} {bar} {percentage} %  {amount}",
      barCompleteChar: "█",
      barIncompleteChar: "░",
      barsize: Math.max(10, Math.min(40, (this.#talk.width ?? 80) - 56)),
      clearOnComplete: true,
      gracefulExit: false,
      // Lines are cut to the width. To have the terminal cut them and hide its cursor are settings of the terminal,
      // which would stay so for the shell when a signal stops or ends this process.
      linewrap: true,
      fps: 10,
    });
  }

  #drawOne(multi: MultiBar, report: SyncProgress): void {
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

/** `120 MB of 3.5 GB, 40 s left`. */
export function amountOf({ phase, done, total }: SyncProgress, elapsedMs: number): string {
  const amount = phase === "files" ? formatBytes : formatCount;
  const left = done > 0 && elapsedMs > 2000 ? (elapsedMs * (total - done)) / done : 0;
  const rest =
    left >= 1000 ? `, ${formatDuration(Math.round(left / 1000) * 1000).replace(/\.\d s/, " s")} left` : "";
  return `${amount(done)} of ${amount(total)}${rest}`;
}
