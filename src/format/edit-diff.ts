import { structuredPatch } from "diff";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** A call that edits a file. */
export interface Edit {
  /** The arguments without what is written: the path, and whatever else there is. */
  args: JsonObject;
  /** Lines that begin with `-`, `+` or a space; `…` stands between parts that are not beside each other. */
  diff: string;
}

/** Unchanged lines that are shown around a change. */
const CONTEXT = 2;
/** Lines added and removed, at most: comparing what differs in more takes seconds, and nobody reads it. */
const MOST_CHANGES = 1000;
const GAP = "…";

/** Shows what an edit of pi's changes, piece by piece. Null for any other call, and where that is too much. */
export function editOf(args: JsonValue): Edit | null {
  if (!isJsonObject(args)) return null;
  const { edits, oldText, newText, ...others } = args;
  const pieces = Array.isArray(edits) ? edits : [{ oldText, newText }];
  const diffs = pieces.map((piece) => (isJsonObject(piece) ? diffOf(piece) : null));
  if (diffs.length === 0 || diffs.includes(null)) return null;
  return { args: others, diff: diffs.join(`\n${GAP}\n`) };
}

function diffOf({ oldText, newText }: Partial<JsonObject>): string | null {
  if (typeof oldText !== "string" || typeof newText !== "string") return null;
  const [before, after] = [oldText, newText].map((text) =>
    text === "" || text.endsWith("\n") ? text : `${text}\n`,
  );
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGES };
  const patch = structuredPatch("", "", before ?? "", after ?? "", "", "", options);
  return patch?.hunks.map(({ lines }) => lines.join("\n")).join(`\n${GAP}\n`) ?? null;
}
