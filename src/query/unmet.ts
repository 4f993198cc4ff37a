import type { Index } from "../db/open.ts";
import { isHeldIn } from "./conditions.ts";
import type { Filter } from "./filter.ts";

/** A condition of a filter that nothing in the index meets, whatever else was asked. */
export interface Unmet {
  key: "project" | NamedKey;
  asked: string;
  /** What it could have been, in order. */
  known: string[];
}

/** Kinds that entries have: those of entries that are gone may still be there. */
const KINDS = "(SELECT DISTINCT kind FROM entries) e JOIN entry_kinds k ON k.id = e.kind";

const namesOfKinds = (column: string): string =>
  `SELECT DISTINCT k.${column} AS name FROM ${KINDS} WHERE k.${column} IS NOT NULL`;

const NAMES = {
  model: `${namesOfKinds("model")} ORDER BY name`,
  provider: `${namesOfKinds("provider")} ORDER BY name`,
  role: `${namesOfKinds("role")} ORDER BY name`,
  type: `${namesOfKinds("type")} ORDER BY name`,
  tool: `SELECT DISTINCT name FROM tool_calls UNION ${namesOfKinds("tool_name")} ORDER BY name`,
  label: "SELECT DISTINCT label AS name FROM labels ORDER BY name",
};

const CWDS = "SELECT DISTINCT cwd AS name FROM sessions ORDER BY name";

type NamedKey = keyof typeof NAMES;

const NAMED_KEYS: readonly NamedKey[] = ["model", "provider", "role", "type", "tool", "label"];

/**
 * Which conditions no session meets by themselves: a misspelt name and a folder without sessions look just like an
 * answer that is empty. Looks through all entries: for an answer that has nothing to say.
 */
export function unmetIn(index: Index, filter: Filter): Unmet[] {
  const unmet: Unmet[] = [];
  if (filter.project !== undefined) unmet.push(...unmetProject(index, filter.project));
  for (const key of NAMED_KEYS) {
    const asked = filter[key];
    if (asked === undefined) continue;
    const known = namesOf(index, NAMES[key]);
    if (!known.some((name) => MEETS[key](name, asked))) unmet.push({ key, asked, known });
  }
  return unmet;
}

const isSame = (name: string, asked: string): boolean => name === asked;

/** As `conditions.ts` compares them. */
const MEETS: Record<NamedKey, (name: string, asked: string) => boolean> = {
  model: (name, asked) => name.toLowerCase().includes(asked.toLowerCase()),
  provider: isSame,
  role: isSame,
  type: isSame,
  tool: isSame,
  label: (name, asked) => name.toLowerCase() === asked.toLowerCase(),
};

function unmetProject(index: Index, asked: string): Unmet[] {
  const { sql, values } = isHeldIn("cwd", asked);
  const held = index.database.prepare(`SELECT 1 FROM sessions WHERE ${sql} LIMIT 1`).get(...values);
  if (held !== undefined) return [];
  return [{ key: "project", asked, known: namesOf(index, CWDS) }];
}

function namesOf(index: Index, sql: string): string[] {
  const rows = index.database.prepare(sql).all() as { name: string }[];
  return rows.map(({ name }) => name);
}
