import { type Index, openIndex } from "../../store/open.ts";
import { type BodyPlace, PLACE_COLUMNS, readBody } from "../../store/tables/entry-bodies.ts";

const PLACE = `SELECT ${PLACE_COLUMNS}
  FROM entries e JOIN files f ON f.id = e.file_id JOIN sessions s ON s.file_id = e.file_id WHERE e.key = ?`;

/**
 * Gives the statements of a connection `entry_json(key)`: the line of an entry as it stands in its session file,
 * NULL when there is no such entry or the file has something else there by now. Files are read by their place in
 * the index only, never by a name from a statement.
 */
export function addEntryJson(index: Index): { close(): void } {
  // A connection that is answering a statement cannot run another one.
  let second: Index | undefined;
  let place: ((key: number) => unknown) | undefined;
  index.database.function("entry_json", { directOnly: true }, (key: unknown) => {
    if (typeof key !== "number" && typeof key !== "bigint") return null;
    if (place === undefined) {
      second = openIndex(index.location, { readonly: true });
      const statement = second.database.prepare(PLACE);
      place = (wanted) => statement.get(wanted);
    }
    const found = place(Number(key)) as BodyPlace | undefined;
    return found === undefined ? null : (readBody(found)?.bytes.toString("utf8") ?? null);
  });
  return { close: () => second?.close() };
}
