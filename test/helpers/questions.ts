import { vi } from "vitest";
import { loadSqlite } from "../../src/store/native.ts";

/** The ways in which anybody runs a statement, with a database and with a prepared one. */
const OF_DATABASES = ["exec", "pragma"] as const;
const OF_STATEMENTS = ["run", "get", "all", "iterate"] as const;

/** How often any database of this process is asked something while `act` is under way. */
export function questionsIn(act: () => void): number {
  const database = new (loadSqlite())(":memory:");
  const statements = Object.getPrototypeOf(database.prepare("SELECT 1"));
  const databases = Object.getPrototypeOf(database);
  database.close();
  const asked = [
    ...OF_STATEMENTS.map((way) => vi.spyOn(statements, way)),
    ...OF_DATABASES.map((way) => vi.spyOn(databases, way)),
  ];
  try {
    act();
    return asked.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const each of asked) each.mockRestore();
  }
}
