import { expect, test } from "vitest";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import { checkedFiles, Verifier } from "../../../src/reports/verify/verify-sessions.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { type CountedFile, countFolder } from "../../helpers/independent-count.ts";
import { isFields } from "../../helpers/independent-read.ts";
import { type SessionBuilder, session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { indexOf } from "../indexed.ts";

interface Request {
  model: string;
  sixteenths: number;
  totalFromProvider: unknown;
}

const request: fc.Arbitrary<Request> = fc.record({
  model: fc.constantFrom("sonnet", "haiku"),
  // In sixteenths of a dollar sums are exact.
  sixteenths: fc.nat(100),
  // As pi writes it of a bill and of an estimate, as older ones do not, and as nobody should.
  totalFromProvider: fc.constantFrom(true, false, undefined, null, 1, "true"),
});

function ask(built: SessionBuilder, requests: readonly Request[]): void {
  for (const { model, sixteenths, totalFromProvider } of requests) {
    const cost = { total: sixteenths / 16, totalFromProvider } as { total: number };
    built.assistant({ model, usage: { input: 5, output: 7, cost } });
  }
}

/** What each model's provider has billed, added up one by one; copies left out. */
function billed(files: readonly CountedFile[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { usage, entries } of files) {
    for (const { counted, line, model, cost } of usage) {
      if (!counted) continue;
      const message = entries.find((entry) => entry.line === line)?.value.message;
      const stated = isFields(message) && isFields(message.usage) ? message.usage.cost : null;
      const isBill = isFields(stated) && stated.totalFromProvider === true;
      sums[model ?? ""] = (sums[model ?? ""] ?? 0) + (isBill ? cost : 0);
    }
  }
  return sums;
}

test("what providers have billed is that of a plain count, by the roll-up and by rows, copies left out", () => {
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 20 }),
      fc.array(request, { maxLength: 5 }),
      (first, more) => {
        const root = tempDir();
        const built = session({ id: "parent" }).user("x");
        ask(built, first);
        built.writeBelow(root);
        const fork = built.fork({ id: "fork" });
        ask(fork, more);
        fork.writeBelow(root);
        const index = indexOf(root);
        const expected = billed(countFolder(root).files);
        for (const filter of [{}, { role: "assistant" }]) {
          const report = sumUsage(index, { by: "model", timezone: "UTC", filter });
          const found = report.rows.map(({ key, costFromProvider }) => [key, costFromProvider]);
          expect(Object.fromEntries(found)).toEqual(expected);
          const all = Object.values(expected).reduce((sum, each) => sum + each, 0);
          expect(report.costFromProvider).toBe(all);
        }
        const verifier = new Verifier(index);
        for (const file of checkedFiles(index)) verifier.file(file);
        verifier.close();
        expect(verifier.result.differences).toEqual([]);
      },
    ),
    { numRuns: runs(40) },
  );
});

test("what is left of a result, where a sub-agent's session accounts for a part of it, is no bill", () => {
  const root = tempDir();
  const child = session({ id: "child" }).user("look");
  ask(child, [{ model: "haiku", sixteenths: 16, totalFromProvider: true }]);
  const sessionFile = child.writeBelow(root);
  const parent = session({ id: "parent" }).user("x");
  parent.toolResult("done", {
    toolName: "subagent",
    details: { results: [{ agent: "scout", sessionFile }] },
    usage: { input: 10, output: 14, cost: { total: 3, totalFromProvider: true } as { total: number } },
  });
  parent.writeBelow(root);
  const index = indexOf(root);
  for (const filter of [{}, { role: "toolResult" }]) {
    const { rows } = sumUsage(index, { by: "source", timezone: "UTC", filter });
    const ofTool = rows.find(({ key }) => key === "tool");
    expect([ofTool?.cost, ofTool?.costFromProvider]).toEqual([2, 0]);
  }
});
