import { parseJson } from "../format/parse.ts";
import { oneLine, sanitise } from "../text/sanitise.ts";
import { formatMoment } from "../time/calendar.ts";
import type { Context } from "./command.ts";

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
