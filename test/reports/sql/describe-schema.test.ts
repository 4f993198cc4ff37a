import { describe, expect, test } from "vitest";
import { describeSchema } from "../../../src/reports/sql/describe-schema.ts";
import { COLUMNS_OF_MANY, PUBLIC_TABLES, TABLES, VIEWS } from "../../../src/store/schema/column-notes.ts";
import { indexOfSessions } from "../indexed.ts";

const described = () => {
  const { tables, views } = describeSchema(indexOfSessions());
  return [...tables, ...views];
};

describe("every table and view", () => {
  test("is described in a sentence", () => {
    expect(described().filter(({ about }) => !/^[A-Z0-9].*\.$/.test(about))).toEqual([]);
  });

  test("has every column described", () => {
    const silent = described().flatMap(({ name, columns }) =>
      columns.filter(({ about }) => about === "").map((column) => `${name}.${column.name}`),
    );
    expect(silent).toEqual([]);
  });

  test("is there for every description", () => {
    const { tables, views } = describeSchema(indexOfSessions());
    expect([tables.map(({ name }) => name).toSorted(), views.map(({ name }) => name).toSorted()]).toEqual([
      Object.keys(TABLES).toSorted(),
      Object.keys(VIEWS).toSorted(),
    ]);
  });

  test("has a column for every description", () => {
    const columns = new Map(described().map((table) => [table.name, table.columns.map(({ name }) => name)]));
    const idle = Object.entries({ ...TABLES, ...VIEWS }).flatMap(([name, notes]) =>
      Object.keys(notes.columns)
        .filter((column) => !columns.get(name)?.includes(column))
        .map((column) => `${name}.${column}`),
    );
    expect(idle).toEqual([]);
  });
});

test("what is said of many columns is said of one at least", () => {
  const names = new Set(described().flatMap(({ columns }) => columns.map(({ name }) => name)));
  expect(Object.keys(COLUMNS_OF_MANY).filter((name) => !names.has(name))).toEqual([]);
});

test("what people ask for comes first, and is told from what the index has for itself", () => {
  const { tables, views } = describeSchema(indexOfSessions());
  const own = tables.filter(({ internal }) => internal).map(({ name }) => name);
  expect(tables.map(({ name }) => name)).toEqual([...PUBLIC_TABLES, ...own]);
  expect(own).toEqual(own.toSorted());
  expect([own.includes("entry_rows"), views.some(({ internal }) => internal)]).toEqual([true, false]);
});

test("columns of tables have their types", () => {
  const entries = described().find(({ name }) => name === "entries");
  expect(entries?.columns.find(({ name }) => name === "key")).toMatchObject({ type: "INTEGER" });
});
