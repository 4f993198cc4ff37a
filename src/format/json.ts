/** Careful readers for parsed JSON that nobody has validated. */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A string, or null for anything else. A lone surrogate, which JSON can hold and UTF-8 cannot, becomes U+FFFD: SQLite
 * would store invalid UTF-8, at which programs that read it stop.
 */
export function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value.toWellFormed() : null;
}

/** Sets a field as `JSON.parse` does, whatever its name. */
export function setField(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The object at `key`, or null when there is none. */
export function objectAt(object: JsonObject, key: string): JsonObject | null {
  const value = object[key];
  return isJsonObject(value) ? value : null;
}

/** The UTF-16 unit of an escape `\uXXXX` of a JSON text, whose digits begin there; NaN where they are none. */
export function unitAt(bytes: Buffer, at: number): number {
  return Number.parseInt(bytes.toString("latin1", at, at + 4), 16);
}
