import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { logPathOf } from "../../daemon/main.ts";
import { codeOf, SessionDbError } from "../errors.ts";
import { type Args, isSet } from "./args.ts";
import { type Context, ExitCode } from "./command.ts";
import { logLineForPeople } from "./daemon-log-line.ts";
import { sanitise } from "./output/sanitise.ts";

/** How many bytes are shown, from the end; the log is at most a few times as large. */
const SHOWN_BYTES = 64 * 1024;
const LOOK_MS = 200;

/** Prints the end of the daemon's log, and with `--follow` what is added until Ctrl-C. */
export async function showLogs(context: Context, args: Args): Promise<number> {
  const { config, out, talk, world } = context;
  const path = logPathOf(config.location);
  if (!isThere(path)) talk.print(`There is no log yet: ${path}`);
  let place: Place = { inode: 0, offset: 0 };
  const show = (): void => {
    const read = readFrom(path, place);
    place = read.place;
    if (read.text === "") return;
    if (!out.isTerminal || context.json) out.stream.write(sanitise(read.text));
    else
      out.print(
        read.text
          .trimEnd()
          .split("\n")
          .map((line) => logLineForPeople(context, line)),
      );
  };
  show();
  if (!isSet(args, "follow")) return ExitCode.done;
  await world.interruptible(async (signal) => {
    for (; !signal.aborted; await pause(LOOK_MS)) show();
  });
  return ExitCode.done;
}

interface Place {
  inode: number;
  offset: number;
}

/** The whole lines added after `place`; those from the beginning when the log is another file by now. */
function readFrom(path: string, place: Place): { text: string; place: Place } {
  const fd = openLog(path);
  if (fd === null) return { text: "", place };
  try {
    const { ino, size } = fstatSync(fd);
    const isSame = ino === place.inode && size >= place.offset;
    const from = isSame ? place.offset : Math.max(0, place.inode === 0 ? size - SHOWN_BYTES : 0);
    const bytes = Buffer.alloc(size - from);
    const filled = readSync(fd, bytes, 0, bytes.length, from);
    const end = bytes.subarray(0, filled).lastIndexOf(0x0a) + 1;
    const begin = from > 0 && !isSame ? bytes.indexOf(0x0a) + 1 : 0;
    return {
      text: bytes.subarray(begin, Math.max(begin, end)).toString("utf8"),
      place: { inode: ino, offset: from + end },
    };
  } finally {
    closeSync(fd);
  }
}

function isThere(path: string): boolean {
  const fd = openLog(path);
  if (fd !== null) closeSync(fd);
  return fd !== null;
}

function openLog(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return null;
    if (codeOf(error) === "") throw error;
    throw new SessionDbError("io", `the log cannot be read (${codeOf(error)}): ${path}`, {
      hint: "Give yourself read permission for it and its folder.",
      cause: error,
    });
  }
}
