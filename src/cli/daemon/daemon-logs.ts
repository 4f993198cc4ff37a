import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { rotatedPathOf } from "../../../daemon/control/log.ts";
import { logPathOf } from "../../../daemon/main.ts";
import { codeOf, SessionDbError } from "../../errors.ts";
import { parseJson } from "../../format/parse.ts";
import { oneLine, sanitise } from "../../text/sanitise.ts";
import { formatMoment } from "../../time/calendar.ts";
import { type Args, isSet } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";

/** How many bytes are shown, from the end; the log is at most a few times as large. */
const SHOWN_BYTES = 64 * 1024;
const LOOK_MS = 200;

/** Prints the end of the daemon's log, and with `--follow` what is added until Ctrl-C. */
export async function showLogs(context: Context, args: Args): Promise<number> {
  const { config, out, talk, world } = context;
  const path = logPathOf(config.location);
  if (!isThere(path)) talk.say(`There is no log yet: ${path}`);
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

interface Read {
  text: string;
  /** Where that ends. */
  place: Place;
}

/** The whole lines added after `place`: when the log is another file by now, the rest of the old one and all of it. */
function readFrom(path: string, place: Place): Read {
  const fd = openLog(path);
  if (fd === null) return { text: "", place };
  try {
    const { ino, size } = fstatSync(fd);
    if (place.inode === 0) return endOf(fd, { inode: ino, offset: Math.max(0, size - SHOWN_BYTES) });
    if (ino !== place.inode) {
      const added = linesAfter(fd, { inode: ino, offset: 0 });
      return { ...added, text: restOf(rotatedPathOf(path), place) + added.text };
    }
    return linesAfter(fd, size < place.offset ? { inode: ino, offset: 0 } : place);
  } finally {
    closeSync(fd);
  }
}

/** What may be half a line at its beginning is left out. */
function endOf(fd: number, place: Place): Read {
  const end = linesAfter(fd, place);
  return place.offset === 0 ? end : { ...end, text: end.text.slice(end.text.indexOf("\n") + 1) };
}

function linesAfter(fd: number, { inode, offset }: Place): Read {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - offset));
  const filled = readSync(fd, bytes, 0, bytes.length, offset);
  const end = bytes.subarray(0, filled).lastIndexOf(0x0a) + 1;
  return { text: bytes.toString("utf8", 0, end), place: { inode, offset: offset + end } };
}

/** The lines after `place` in the old log, as long as that is the file it was in. */
function restOf(path: string, place: Place): string {
  const fd = openLog(path);
  if (fd === null) return "";
  try {
    return fstatSync(fd).ino === place.inode ? linesAfter(fd, place).text : "";
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

/** `2026-11-03 14:05:09  started  pid 417, version 0.1.0`. Lines that Node itself has written stay as they are. */
export function logLineForPeople({ config, out }: Context, line: string): string {
  const noted = noteIn(line);
  if (noted === null) return sanitise(line);
  const { time, event, fields } = noted;
  const seconds = new Date(time).toISOString().slice(16, 19);
  const facts = fields
    .filter(([, value]) => value !== null)
    .map(([name, value]) => (name === event ? `${value}` : `${name} ${value}`));
  const when = out.paint.dim(`${formatMoment(time, config.timezone)}${seconds}`);
  return `${when}  ${out.paint.bold(oneLine(event))}  ${oneLine(facts.join(", "))}`.trimEnd();
}

interface Note {
  /** Unix ms. */
  time: number;
  event: string;
  fields: [name: string, value: unknown][];
}

function noteIn(line: string): Note | null {
  const value = parseJson(line);
  if (typeof value !== "object" || value === null) return null;
  const { time, event, ...fields } = value as Record<string, unknown>;
  const at = Date.parse(String(time));
  return Number.isNaN(at) ? null : { time: at, event: String(event), fields: Object.entries(fields) };
}
