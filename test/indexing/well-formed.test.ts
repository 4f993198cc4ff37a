import { expect, test } from "vitest";
import { Verifier } from "../../src/reports/verify/verify-sessions.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf } from "../reports/indexed.ts";

/** Half an emoji, as programs leave it that cut texts anywhere. */
const HALF = "pear \ud83c";

const TABLES = [
  "sessions",
  "entries",
  "messages",
  "labels",
  "tool_calls",
  "usage",
  "usage_quarters",
] as const;

function halvesEverywhere(): string {
  const built = session({ cwd: `/tmp/${HALF}` }).user(HALF, { id: HALF });
  const call = { name: HALF, arguments: { path: HALF, command: `${"x".repeat(77)}🍐` } };
  built.assistant({ text: HALF, toolCalls: [call], model: HALF, provider: HALF, stopReason: HALF });
  built.assistant({ toolCalls: [{ name: "", arguments: { text: `${"x".repeat(79)}🍐` } }] });
  built.toolResult(HALF, { toolName: HALF }).label(HALF, HALF).name(HALF).modelChange(HALF, HALF);
  built
    .usage(HALF, { note: HALF })
    .custom(HALF)
    .customMessage(HALF, [{ type: "text", text: HALF }]);
  const root = tempDir();
  built.writeBelow(root);
  return root;
}

test("A31: half an emoji anywhere in a session leaves no text in the index that is no UTF-8", () => {
  const { database } = indexOf(halvesEverywhere());
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decoded = TABLES.flatMap((table) => {
    const columns = database.pragma(`table_info(${table})`) as { name: string; type: string }[];
    return columns
      .filter(({ type }) => type.toUpperCase() === "TEXT")
      .flatMap(({ name }) => database.prepare(`SELECT CAST(${name} AS BLOB) FROM ${table}`).pluck().all())
      .map((bytes) => (Buffer.isBuffer(bytes) ? decoder.decode(bytes) : ""));
  });
  expect(decoded.filter((text) => text.includes("pear \ufffd")).length).toBeGreaterThan(15);
});

test("A31: half an emoji anywhere in a session is no difference between index and file", () => {
  const root = halvesEverywhere();
  const verifier = new Verifier(indexOf(root));
  verifier.presence([root]);
  const { fileId, path } = { fileId: 1, path: root };
  verifier.file({ fileId, path });
  verifier.counted();
  verifier.close();
  expect(verifier.result).toMatchObject({ checked: 1, differences: [] });
});
