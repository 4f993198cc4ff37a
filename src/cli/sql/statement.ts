import { readFileSync } from "node:fs";
import { withoutMark } from "../../config/text-file.ts";
import { codeOf, isSystemError, SessionDbError } from "../../errors.ts";
import { absolutePath } from "../../files/paths.ts";
import type { SqlParameters, SqlValue } from "../../reports/sql/sql-rows.ts";
import { type Args, textOf, textsOf } from "../command-line/args.ts";
import type { Input, World } from "../terminal/world.ts";

const EXAMPLE = 'Give one: sessiondb sql "SELECT ...".';

/** Reads the statement and its values, from the words, options, a file or standard input. */
export async function readStatement(
  args: Args,
  world: World,
): Promise<{ sql: string; parameters: SqlParameters }> {
  const file = textOf(args, "file");
  // Not by `textsOf`, which refuses empty texts: a value may be empty.
  const words = Array.isArray(args.query) ? args.query.map(String) : [];
  if (file !== undefined) {
    const sql = readStatementFile(absolutePath(file, "--file", world));
    if (sql.trim() === "")
      throw new SessionDbError("usage", `${file} contains no statement`, { hint: EXAMPLE });
    return { sql, parameters: parametersOf(args, words) };
  }
  const [query, ...values] = words;
  if (query?.trim() === "") throw new SessionDbError("usage", "the statement is empty", { hint: EXAMPLE });
  const sql = query === undefined || query === "-" ? await fromStdin(query, world.stdin) : query;
  return { sql: withoutMark(sql), parameters: parametersOf(args, values) };
}

function parametersOf(args: Args, values: readonly string[]): SqlParameters {
  const named = textsOf(args, "param").map((text): [string, SqlValue] => {
    const [, name, value] = /^[:@$]?([A-Za-z_]\w*)=([\s\S]*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, toValue(value)];
    throw new SessionDbError("usage", `--param takes name=value, not "${text}"`, {
      hint: 'For example: sessiondb sql "SELECT :day" -p day=2026-11-03.',
    });
  });
  return {
    positional: values.map(toValue),
    ...(named.length > 0 && { named: Object.fromEntries(named) }),
  };
}

/** A word that is written as a plain number is bound as one; `007` and `1e5` may be ids, and are bound as text. */
function toValue(text: string): SqlValue {
  if (/^-?\d*\.\d+$/.test(text)) return Number(text);
  // A JavaScript number would be bound as a REAL.
  return /^-?(0|[1-9]\d*)$/.test(text) && isInt64(text) ? BigInt(text) : text;
}

function isInt64(text: string): boolean {
  return text.length <= 20 && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function readStatementFile(path: string): string {
  try {
    return withoutMark(readFileSync(path, "utf8"));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new SessionDbError("io", `the statement cannot be read (${codeOf(error)}): ${path}`, {
      cause: error,
    });
  }
}

async function fromStdin(given: string | undefined, stdin: Input): Promise<string> {
  if (given === undefined && stdin.isTTY === true) {
    throw new SessionDbError("usage", "no statement", {
      hint: `${EXAMPLE} sessiondb schema lists the tables.`,
    });
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  const statement = Buffer.concat(chunks).toString("utf8");
  if (statement.trim() !== "") return statement;
  throw new SessionDbError("usage", "standard input contains no statement", {
    hint: EXAMPLE,
  });
}
