import { isAbsolute, normalize } from "node:path";
import { SessionDbError } from "../errors.ts";
import { type Filter, HAS, ORIGINS, type TouchFilter } from "../query/filter.ts";
import { timezoneByIntl, unknownTimezone } from "../time/zone.ts";

/**
 * Checks what a caller passes in, once, before anything is done with it. Types are gone when a program runs: SQLite
 * would compare a string with numbers, or take for 0 what is no number, and give a wrong answer without an error.
 *
 * `name` is the name of the value in the error. @throws SessionDbError `usage`
 */
export type Check = (name: string, value: unknown) => void;

export type Checks = Readonly<Record<string, Check>>;

/**
 * An object of options, each of which may be left out. Any other name is refused: it would be ignored, and the answer
 * would be one to another question.
 */
export function options(checks: Checks): Check {
  return (name, value) => {
    for (const [key, part] of partsOf(name, value)) {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
      if (check === undefined) throw unknownName(name, key, checks);
      if (part !== undefined) check(`${name}.${key}`, part);
    }
  };
}

/** An object that must have all these fields; it may have others. */
export function record(checks: Checks): Check {
  return (name, value) => {
    const parts = new Map(partsOf(name, value));
    for (const [key, check] of Object.entries(checks)) check(`${name}.${key}`, parts.get(key));
  };
}

export function arrayOf(check: Check): Check {
  return (name, value) => {
    if (!Array.isArray(value)) throw wrong(name, "an array", value);
    for (const [place, part] of value.entries()) check(`${name}[${place}]`, part);
  };
}

/** An object whose fields may have any names. */
export function dictionaryOf(check: Check): Check {
  return (name, value) => {
    for (const [key, part] of partsOf(name, value)) check(`${name}.${key}`, part);
  };
}

/**
 * The same options, but whatever the functions among them return is checked at each call: a promise, for example, would
 * be taken for true. `checks` has the checks by the functions' names.
 */
export function withAnswersChecked<Options extends object>(
  name: string,
  given: Options,
  checks: Checks,
): Options {
  const asking = partsOf(name, given).flatMap(([key, part]) => {
    const check = checks[key];
    if (check === undefined || typeof part !== "function") return [];
    return [[key, checkedAnswers(`what ${name}.${key} returns`, part, check)]];
  });
  return Object.assign({}, given, Object.fromEntries(asking));
}

function checkedAnswers(name: string, ask: CallableFunction, check: Check): (...given: unknown[]) => unknown {
  return (...given) => {
    const answer: unknown = Reflect.apply(ask, undefined, given);
    check(name, answer);
    return answer;
  };
}

export function oneOf(choices: readonly (string | number)[]): Check {
  return kind(`one of ${choices.join(", ")}`, (value) => choices.some((choice) => choice === value));
}

export function wholeNumber(most = Number.MAX_SAFE_INTEGER): Check {
  const what = most === Number.MAX_SAFE_INTEGER ? "0 or more" : `from 0 to ${most}`;
  return kind(
    `a whole number, ${what}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most,
  );
}

/** The last time that `Date` can hold, in Unix ms. */
const LAST_MS = 8.64e15;
const A_TIME = "a time in Unix milliseconds, as date.getTime() gives it";

export const text = kind("a string", (value) => typeof value === "string");
export const someText = kind(
  "a string that is not empty",
  (value) => typeof value === "string" && value.trim() !== "",
);
export const flag = kind("true or false", (value) => typeof value === "boolean");
export const count = wholeNumber();
export const callback = kind("a function", (value) => typeof value === "function");
export const path = kind(
  "an absolute path",
  (value) => typeof value === "string" && isAbsolute(value) && !value.includes("\0"),
);
export const time = kind(A_TIME, isTime);
/** For times that are stored, or counted from in a calendar. Those of other clocks and of files have fractions. */
export const wholeTime = kind(
  "a time in whole Unix milliseconds, as date.getTime() gives it",
  (value) => isTime(value) && Number.isInteger(value),
);
export const deadline = kind(A_TIME, (value) => value === Number.POSITIVE_INFINITY || isTime(value));
export const signal = kind(
  "an AbortSignal",
  (value) => typeof value === "object" && value !== null && "aborted" in value,
);

/** The name of a zone that this system knows. */
export const timezone: Check = (name, value) => {
  if (typeof value !== "string") throw wrong(name, "a string", value);
  if (timezoneByIntl(value) === undefined) throw unknownTimezone(value);
};

export function kind(what: string, is: (value: unknown) => boolean): Check {
  return (name, value) => {
    if (!is(value)) throw wrong(name, what, value);
  };
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= LAST_MS;
}

function partsOf(name: string, value: unknown): [string, unknown][] {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw wrong(name, "an object", value);
}

function wrong(name: string, what: string, value: unknown): SessionDbError {
  return new SessionDbError("usage", `${name} has to be ${what}, but is ${shown(value)}`);
}

function unknownName(name: string, key: string, checks: Checks): SessionDbError {
  return new SessionDbError("usage", `${name} cannot have "${key}"`, {
    hint: `It may have: ${Object.keys(checks).join(", ")}.`,
  });
}

const LONGEST_SHOWN = 40;

function shown(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value);
  }
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise";
  return value instanceof Date ? "a Date" : "an object";
}

const TOUCH_FILTER = {
  project: path,
  since: time,
  until: time,
  named: flag,
  origin: oneOf(ORIGINS),
} satisfies Record<keyof TouchFilter, Check>;

const FILTER = {
  ...TOUCH_FILTER,
  model: someText,
  provider: someText,
  role: someText,
  type: someText,
  tool: someText,
  label: someText,
  has: oneOf(HAS),
} satisfies Record<keyof Filter, Check>;

/** The options of all questions about many sessions. */
export const SCOPE = {
  filter: options(FILTER),
  roots: arrayOf(path),
} satisfies Checks;

/** The options of a question about calls of tools. */
export const TOUCH_SCOPE = { ...SCOPE, filter: options(TOUCH_FILTER) } satisfies Checks;

/** Options with their roots in the form of paths in the index: without `..` and doubled separators. */
export function normalized<Options extends { roots?: string[] }>(options: Options): Options {
  return options.roots === undefined ? options : { ...options, roots: rootsOf(options.roots) };
}

/** Folders in the form of paths in the index. */
export function rootsOf(roots: readonly string[]): string[] {
  return roots.map((root) => normalize(root));
}
