import { SessionDbError } from "../../errors.ts";
import { closest } from "./suggest.ts";

/** The arguments given, by the names of options and positionals. Of an option given more than once the last counts. */
export type Args = Readonly<Record<string, unknown>>;

export function isSet(args: Args, name: string): boolean {
  return args[name] === true;
}

/**
 * Refuses options that only another action of the command understands. @throws SessionDbError `usage`
 *
 * @param whose `of` is the action that was asked for
 */
export function refuseOptions(
  args: Args,
  names: readonly string[],
  whose: { of: string; hint: string },
): void {
  const given = names.find((name) => args[name] !== undefined);
  if (given === undefined) return;
  throw new SessionDbError("usage", `${whose.of} takes no --${given}`, { hint: whose.hint });
}

/** The text of an option; undefined when it was not given. @throws SessionDbError `usage` when it is empty */
export function textOf(args: Args, name: string): string | undefined {
  return textsOf(args, name).at(-1);
}

/** All the texts of an option or positional that may be given more than once. */
export function textsOf(args: Args, name: string): string[] {
  const value = args[name];
  if (value === undefined) return [];
  const texts = (Array.isArray(value) ? value : [value]).map(String);
  if (texts.some((text) => text.trim() === "")) {
    throw new SessionDbError("usage", `--${name} needs a value`, { hint: "Give one, or leave it out." });
  }
  return texts;
}

/** A whole number from 0 on; `zero` says what 0 means. @throws SessionDbError `usage` */
export function countOf(args: Args, name: string, zero = "0 means all."): number | undefined {
  const text = textOf(args, name);
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count;
  throw new SessionDbError("usage", `--${name} takes a whole number, not "${text}"`, { hint: zero });
}

/** An option whose value must be one of `choices`. @throws SessionDbError `usage` */
export function choiceOf<T extends string>(args: Args, name: string, choices: readonly T[]): T | undefined {
  return choiceFrom(textOf(args, name), `--${name} cannot be`, choices);
}

/** A positional that must be one of `choices`. @throws SessionDbError `usage` */
export function wordOf<T extends string>(args: Args, name: string, choices: readonly T[]): T | undefined {
  return choiceFrom(textOf(args, name), `the ${name} cannot be`, choices);
}

function choiceFrom<T extends string>(
  text: string | undefined,
  complaint: string,
  choices: readonly T[],
): T | undefined {
  if (text === undefined) return undefined;
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  const near = closest(text, choices);
  throw new SessionDbError("usage", `${complaint} "${text}"`, {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}Choose one of: ${choices.join(", ")}.`,
  });
}

export interface Sort<Key extends string> {
  key: Key;
  descending: boolean;
}

/** Reads `--sort key[:asc|desc]`. Without a direction names are sorted upwards, everything else downwards. */
export function sortOf<Key extends string>(args: Args, keys: readonly Key[]): Sort<Key> | undefined {
  const text = textOf(args, "sort");
  if (text === undefined) return undefined;
  const [name = "", direction, ...rest] = text.split(":");
  const key = keys.find((each) => each === name);
  if (key === undefined || rest.length > 0 || !["asc", "desc", undefined].includes(direction)) {
    throw new SessionDbError("usage", `--sort cannot be "${text}"`, {
      hint: `Choose one of: ${keys.join(", ")}; :asc or :desc may follow.`,
    });
  }
  const goesUp = key === "title" || key === "key";
  return { key, descending: direction === undefined ? !goesUp : direction === "desc" };
}
