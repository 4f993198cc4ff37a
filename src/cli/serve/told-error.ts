import type { ErrorBody } from "../../serve/page-routes.ts";

/** What a command that has failed with `--json` says on stderr: sentences for people, then a document on the last line. */
export function errorIn(talk: string): ErrorBody {
  const line = talk.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith('{"error":'))
    return { code: "bug", message: line || "the command has failed", hint: null };
  return (JSON.parse(line) as { error: ErrorBody }).error;
}
