import { tildePath } from "../../files/paths.ts";
import { type Speaker, speakerOf } from "../../format/speaker.ts";
import { oneLine } from "../../text/sanitise.ts";
import { formatWhen } from "../../time/calendar.ts";
import type { Context } from "../command-line/command.ts";

/** A path where people read it: on a terminal with the home directory as `~`, elsewhere whole. */
export function shownPath({ out, world }: Pick<Context, "out" | "world">, path: string): string {
  return oneLine(out.isTerminal ? tildePath(path, world.home) : path);
}

/** An ISO time as people say it: `5 min ago`. */
export function shownWhen({ world, config }: Pick<Context, "world" | "config">, time: string): string {
  return formatWhen(Date.parse(time), world.now(), config.timezone);
}

/** A time after a verb, where `now` would read as if it were still to come. */
export function shownWhenSince(context: Pick<Context, "world" | "config">, time: string): string {
  const when = shownWhen(context, time);
  return when === "now" ? "just now" : when;
}

/** The time of an entry: on a terminal as people say it, elsewhere as it stands. Empty for an entry without one. */
export function shownTime(context: Pick<Context, "out" | "world" | "config">, time: string | null): string {
  if (time === null) return "";
  return context.out.isTerminal ? shownWhen(context, time) : time;
}

/** Whose words an entry holds: `user`, `result of bash`, `you ran`. */
export function shownSpeaker(entry: Speaker): string {
  return oneLine(speakerOf(entry));
}

/** The colour of who speaks: a person, the model, anything else. */
export function speakerPaint(
  { cyan, green, magenta }: Context["out"]["paint"],
  { role }: Pick<Speaker, "role">,
): (text: string) => string {
  if (role === "user") return cyan;
  return role === "assistant" ? green : magenta;
}
