import * as v from "valibot";

/**
 * What a value from outside has to be. The message of each schema says that in words, as the end of `... has to be`: `a
 * string`, `one of asc, desc`. Who validates makes the sentence.
 */
export type Schema<Output = unknown> = v.GenericSchema<unknown, Output>;

/** The first thing that is wrong. */
export interface Problem {
  /** Where in the value: names of fields, and places in arrays. */
  path: readonly (string | number)[];
  value: unknown;
  /** The message of the schema. */
  message: string;
  /** Whether it is a name that means nothing; the last of the path. */
  isUnknownName: boolean;
}

/** What is wrong, in words: `exclude[1] has to be a path`. `name` is what is called that the value stands in; it may be empty. */
export function complaintOf(name: string, { path, message, isUnknownName }: Problem): string {
  if (isUnknownName) return `${placeIn(name, path.slice(0, -1))} cannot have "${path.at(-1)}"`;
  return `${placeIn(name, path)} has to be ${message}`;
}

/** A place in a value: `options.filter.since`, `exclude[1]`. */
function placeIn(name: string, path: Problem["path"]): string {
  const place = path.reduce<string>(
    (before, part) => (typeof part === "number" ? `${before}[${part}]` : `${before}.${part}`),
    name,
  );
  return place.replace(/^\./, "");
}

/** @throws what `wrong` makes of the first problem */
export function validated<Output>(
  schema: Schema<Output>,
  value: unknown,
  wrong: (problem: Problem) => Error,
): Output {
  const { success, output, issues } = v.safeParse(schema, value, { abortEarly: true });
  if (success) return output;
  const [{ path = [], input, message, type, expected }] = issues;
  throw wrong({
    path: path.map(({ key }) => (typeof key === "number" ? key : String(key))),
    value: input,
    message,
    isUnknownName: type === "strict_object" && expected === "never",
  });
}

/** A value about which a function decides. */
export function kind<Output>(what: string, is: (value: unknown) => boolean): Schema<Output> {
  return v.custom<Output>(is, what);
}

export function oneOf<const Choices extends readonly (string | number)[]>(
  choices: Choices,
): v.PicklistSchema<Choices, string> {
  return v.picklist(choices, `one of ${choices.join(", ")}`);
}

/** A string with more than white space in it. */
export function textNamed(what: string): Schema<string> {
  return v.pipe(v.string(what), v.regex(/\S/, what));
}

export const text = v.string("a string");
export const someText = textNamed("a string that is not empty");
export const flag = v.boolean("true or false");
