import { codeOf } from "../errors.ts";

/**
 * What `read` gives; undefined where the system does not let a file or folder be read, or it is gone. One such must not
 * hide the others.
 */
export function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}
