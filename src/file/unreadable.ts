import { codeOf } from "../errors.ts";

/**
 * Returns what `read` gives; undefined where a file or folder is gone or may not be read, which must not keep others
 * from being found.
 */
export function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}
