import { isatty } from "node:tty";
import { exitCodeOf } from "./signals.ts";

const STANDARD_STREAMS = [0, 1, 2];

/**
 * Makes a process whose terminal was closed end by the signal for that, however it ends. Otherwise it would abort, with a
 * stack trace: as it ends, Node (20 at least) resets the terminals it was started with, and does not expect one to be gone.
 */
export function endWithTerminal(): void {
  // There, Node resets none, and the signal cannot be sent.
  if (process.platform === "win32") return;
  const terminals = STANDARD_STREAMS.filter((stream) => isatty(stream));
  if (terminals.length === 0) return;
  process.on("exit", (code) => {
    // One whose closing was told may go a moment later.
    const isOpen = code !== exitCodeOf("SIGHUP") && terminals.every((stream) => isatty(stream));
    if (isOpen) return;
    process.removeAllListeners("SIGHUP");
    process.kill(process.pid, "SIGHUP");
  });
}
