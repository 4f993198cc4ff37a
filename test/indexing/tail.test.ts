import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { Store } from "./store.ts";

const FILE = "a.jsonl";

function conversation(): SessionBuilder {
  return session({ id: "a" }).user("Une clé 🍐?").assistant({ text: "梨" });
}

function storeWith(bytes: Uint8Array | string): Store {
  const store = new Store();
  store.write(FILE, bytes);
  store.sync();
  return store;
}

function entryCount(store: Store): unknown {
  return store.column("SELECT count(*) FROM entries")[0];
}

function cursorOf(store: Store): unknown {
  return store.rows("SELECT offset, provisional_length, lines, generation FROM files")[0];
}

const whole = conversation().bytes();
const [headerLine = "", questionLine = "", answerLine = ""] = conversation().lines();
const beforeAnswer = Buffer.byteLength(`${headerLine}\n${questionLine}\n`);

describe("A4: a last line that is an entry without its newline", () => {
  const provisional = whole.subarray(0, whole.length - 1);

  test("is there, and the offset stays before it", () => {
    const store = storeWith(provisional);
    expect(entryCount(store)).toBe(2);
    expect(cursorOf(store)).toEqual([beforeAnswer, Buffer.byteLength(answerLine), 2, 1]);
  });

  test("is not read again while nothing changes", () => {
    expect(storeWith(provisional).sync()).toMatchObject({ bytesRead: 0, files: { unchanged: 1 } });
  });

  test.each(["\n", "\r\n"])("is an entry like any other when its newline comes: %j", (newline) => {
    const store = storeWith(provisional);
    const keys = store.column("SELECT key FROM entries");
    appendFileSync(store.path(FILE), newline);
    store.sync();
    expect(store.column("SELECT key FROM entries")).toEqual(keys);
    expect(cursorOf(store)).toEqual([provisional.length + newline.length, 0, 3, 1]);
  });

  test("counts its usage once when its newline comes", () => {
    const store = storeWith(provisional);
    const spent = () => store.rows("SELECT sum(requests), sum(cost) FROM usage_quarters");
    const before = spent();
    appendFileSync(store.path(FILE), "\n");
    store.sync();
    expect(spent()).toEqual(before);
  });

  test("is followed by the next entry", () => {
    const store = storeWith(provisional);
    appendFileSync(store.path(FILE), `\n${answerLine.replaceAll("梨", "桃")}\n`);
    store.sync();
    store.feed();
    expect([entryCount(store), store.column("SELECT generation FROM files")]).toEqual([3, [1]]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is one that was found in a damaged line when something else follows on its line", () => {
    const store = storeWith(provisional);
    appendFileSync(store.path(FILE), `${answerLine}\n`);
    store.sync();
    store.feed();
    expect(store.rows("SELECT entry_count FROM sessions")).toEqual([[3]]);
    expect(store.rows("SELECT recovered FROM entries ORDER BY key")).toEqual([[0], [1], [1]]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is gone when it was cut off again", () => {
    const store = storeWith(provisional);
    truncateSync(store.path(FILE), beforeAnswer);
    store.sync();
    store.feed();
    expect(entryCount(store)).toBe(1);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

test("A4: a header alone without its newline is a session, and stays the same one", () => {
  const store = storeWith(headerLine);
  expect(store.rows("SELECT session_id, entry_count FROM sessions")).toEqual([["a", 0]]);
  writeFileSync(store.path(FILE), whole);
  store.sync();
  store.feed();
  expect(store.column("SELECT generation FROM files")).toEqual([1]);
  expect(store.dump()).toEqual(store.rebuilt());
});

describe("A1: a last line that is torn", () => {
  test("is not there, and nothing is counted as malformed", () => {
    const store = storeWith(whole.subarray(0, whole.length - 9));
    expect([entryCount(store), store.column("SELECT malformed_lines FROM files")]).toEqual([1, [0]]);
  });

  test("is read when the rest has come, as if it had never been torn", () => {
    const store = storeWith(whole.subarray(0, whole.length - 9));
    writeFileSync(store.path(FILE), whole);
    store.sync();
    store.feed();
    expect(cursorOf(store)).toEqual([whole.length, 0, 3, 1]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is malformed when a newline comes instead, and what follows is read", () => {
    const store = storeWith(whole.subarray(0, whole.length - 9));
    appendFileSync(store.path(FILE), `\n${answerLine}\n`);
    const { troubles } = store.sync();
    expect(troubles).toEqual([{ path: store.path(FILE), kind: "malformed", detail: "1" }]);
    expect(store.rows("SELECT line, offset, length FROM malformed_lines")).toEqual([
      [3, beforeAnswer, Buffer.byteLength(answerLine) - 8],
    ]);
    expect(entryCount(store)).toBe(2);
  });
});

test("A1, A3: wherever a file is cut, the rest brings it to the same", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length), { minLength: 1, maxLength: 3 }), (cuts) => {
      const store = new Store();
      for (const cut of [...cuts.toSorted((a, b) => a - b), whole.length]) {
        store.write(FILE, whole.subarray(0, cut));
        store.sync();
      }
      store.feed();
      expect(store.dump()).toEqual(store.rebuilt());
      expect(store.column("SELECT generation FROM files")).toEqual([1]);
    }),
    { numRuns: runs(60) },
  );
});

test("I-3: between rewrites the offset is one past a newline, and never beyond the size", () => {
  const store = new Store();
  for (let cut = 0; cut <= whole.length; cut += 7) {
    store.write(FILE, whole.subarray(0, cut));
    store.sync();
    const [offset, provisional, lines] = cursorOf(store) as [number, number, number];
    expect(whole.subarray(0, offset).filter((byte) => byte === 0x0a)).toHaveLength(lines);
    expect(offset === 0 || whole[offset - 1] === 0x0a).toBe(true);
    expect(offset + provisional).toBeLessThanOrEqual(cut);
  }
});

test("A9: what a row says of its place is where the entry stands in the file", () => {
  const store = storeWith(Buffer.concat([whole, Buffer.from("\r\n\njunk\n"), conversation().bytes("\r\n")]));
  const bytes = readFileSync(store.path(FILE));
  const places = store.rows("SELECT offset, length, entry_id, line FROM entries") as [
    number,
    number,
    string,
    number,
  ][];
  const lines = bytes.toString().split("\n");
  expect(places).toHaveLength(4);
  for (const [offset, length, id, line] of places) {
    const text = bytes.subarray(offset, offset + length).toString();
    expect([JSON.parse(text).id, lines[line - 1]?.replace(/\r$/, "")]).toEqual([id, text]);
  }
});
