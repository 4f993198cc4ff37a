import { SessionDbError } from "../../src/errors.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** What no service file can hold safely is refused, not repaired. @throws SessionDbError `usage` */
export function assertPlain(texts: readonly string[]): void {
  for (const text of texts) {
    if (!CONTROL.test(text) && !LONE_SURROGATE.test(text)) continue;
    throw new SessionDbError(
      "usage",
      `a program cannot be started at login if its path has control characters: ${JSON.stringify(text)}`,
      {
        hint: "Rename the folder.",
      },
    );
  }
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
