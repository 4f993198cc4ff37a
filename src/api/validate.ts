import { isAbsolute, normalize } from "node:path";
import * as v from "valibot";
import { SessionDbError } from "../errors.ts";
import { isAbsoluteOnWindows } from "../files/paths.ts";
import type { Filter, TouchFilter } from "../filters/filter.ts";
import { WORDS } from "../filters/filter-words.ts";
import { complaintOf, flag, kind, type Problem, type Schema, validated } from "../runtime/validation.ts";
import { timezoneByIntl, unknownTimezone } from "../time/zone.ts";

export { flag, kind, oneOf, text } from "../runtime/validation.ts";

/**
 * Checks what a caller passes in, once, before anything is done with it. Types are gone when a program runs: SQLite
 * would compare a string with numbers, or take for 0 what is no number, and give a wrong answer without an error.
 *
 * @param name the name of the value in the error @throws SessionDbError `usage`
 */
export function check(name: string, schema: Schema, value: unknown): void {
  validated(schema, value, (problem) => wrong(name, problem));
}

function wrong(name: string, problem: Problem): SessionDbError {
  const complaint = complaintOf(name, problem);
  if (problem.isUnknownName) return new SessionDbError("usage", complaint, { hint: problem.message });
  return new SessionDbError("usage", `${complaint}, but is ${shown(problem.value)}`);
}

type Fields = Readonly<Record<string, Schema>>;

const AN_OBJECT = "an object";
const object = kind<object>(
  AN_OBJECT,
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/**
 * An object of options, each of which may be left out. Any other name is refused: it would be ignored, and the answer
 * would be one to another question.
 */
export function options(fields: Fields): Schema {
  const entries = Object.entries(fields).map(([name, schema]) => [name, v.optional(schema)] as const);
  const names = `It may have: ${Object.keys(fields).join(", ")}.`;
  return v.pipe(object, v.strictObject(Object.fromEntries(entries), names));
}

/** An object that must have all these fields; it may have others. */
export function record(fields: Readonly<Record<string, Schema & { message?: unknown }>>): Schema {
  // The only issue of its own is a field that is missing.
  return v.pipe(
    object,
    v.object(fields, ({ expected }) => String(fields[JSON.parse(expected ?? "")]?.message)),
  );
}

export function arrayOf(schema: Schema): Schema {
  return v.array(schema, "an array");
}

/** An object whose fields may have any names. */
export function dictionaryOf(schema: Schema): Schema {
  return v.pipe(object, v.record(v.string(), schema));
}

/**
 * The options, with whatever the functions among them return checked at each call: a promise, for example, would be
 * taken for true. `answers` has what they have to return, by their names.
 */
export function withAnswersChecked<Options extends object>(
  name: string,
  given: Options,
  answers: Fields,
): Options {
  const asking = Object.entries(given).flatMap(([key, part]) => {
    const schema = answers[key];
    if (schema === undefined || typeof part !== "function") return [];
    return [[key, checkedAnswers(`what ${name}.${key} returns`, part, schema)]];
  });
  return Object.assign({}, given, Object.fromEntries(asking));
}

function checkedAnswers(
  name: string,
  ask: CallableFunction,
  schema: Schema,
): (...given: unknown[]) => unknown {
  return (...given) => {
    const answer: unknown = Reflect.apply(ask, undefined, given);
    check(name, schema, answer);
    return answer;
  };
}

export function wholeNumber(most = Number.MAX_SAFE_INTEGER): Schema<number> {
  const what = most === Number.MAX_SAFE_INTEGER ? "0 or more" : `from 0 to ${most}`;
  return kind(
    `a whole number, ${what}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most,
  );
}

/** The last time that `Date` can hold, in Unix ms. */
const LAST_MS = 8.64e15;
const A_TIME = "a time in Unix milliseconds, as date.getTime() gives it";

function isTime(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= LAST_MS;
}

export const count = wholeNumber();
export const callback = kind("a function", (value) => typeof value === "function");
export const path = kind<string>(
  "an absolute path",
  (value) => typeof value === "string" && isAbsolute(value) && !value.includes("\0"),
);
export const time = kind<number>(A_TIME, isTime);
/** For times that are stored, or counted from in a calendar. Those of other clocks and of files have fractions. */
export const wholeTime = kind<number>(
  "a time in whole Unix milliseconds, as date.getTime() gives it",
  (value) => isTime(value) && Number.isInteger(value),
);
export const deadline = kind<number>(A_TIME, (value) => value === Number.POSITIVE_INFINITY || isTime(value));
export const signal = kind(
  "an AbortSignal",
  (value) => typeof value === "object" && value !== null && "aborted" in value,
);

/** @throws SessionDbError `usage` unless it is a name of a zone that this system knows */
export function assertTimezone(name: string): void {
  if (timezoneByIntl(name) === undefined) throw unknownTimezone(name);
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

/** Also of Windows where this is another system: sessions may come from there. */
export const directory = kind<string>(
  "an absolute path",
  (value) =>
    typeof value === "string" && !value.includes("\0") && (isAbsolute(value) || isAbsoluteOnWindows(value)),
);

const TOUCH_FILTER = {
  project: directory,
  since: time,
  until: time,
  named: flag,
  origin: WORDS.entries.origin,
} satisfies Record<keyof TouchFilter, Schema>;

const FILTER = { ...TOUCH_FILTER, ...WORDS.entries } satisfies Record<keyof Filter, Schema>;

/** The options of all questions about many sessions. */
export const SCOPE = {
  filter: options(FILTER),
  roots: arrayOf(path),
} satisfies Fields;

/** The options of a question about calls of tools. */
export const TOUCH_SCOPE = { ...SCOPE, filter: options(TOUCH_FILTER) } satisfies Fields;

/** Options with their roots in the form of paths in the index: without `..` and doubled separators. */
export function normalized<Options extends { roots?: string[] }>(options: Options): Options {
  return options.roots === undefined ? options : { ...options, roots: rootsOf(options.roots) };
}

/** Folders in the form of paths in the index. */
export function rootsOf(roots: readonly string[]): string[] {
  return roots.map((root) => normalize(root));
}
