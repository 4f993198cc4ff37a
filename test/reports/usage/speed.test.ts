import { expect, test } from "vitest";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { type CountedFile, countFolder } from "../../helpers/independent-count.ts";
import { isFields } from "../../helpers/independent-read.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { indexOf } from "../indexed.ts";

const request = fc.record({
  model: fc.constantFrom("sonnet", "haiku"),
  output: fc.nat(5000),
  thinkingLevel: fc.constantFrom(undefined, "off", "high"),
  // As pi measures it, as older ones do not, and as nobody should.
  durationMs: fc.oneof(fc.nat(90_000), fc.constantFrom(undefined, null, -5, "9", Number.NaN, 1e12)),
});

interface Speed {
  requests: number;
  averageMs: number | null;
  tokensPerSecond: number | null;
}

/** How long the requests of each group took, and how fast they were, added up one by one. */
function speeds(files: readonly CountedFile[], key: "model" | "thinkingLevel"): Record<string, Speed> {
  const groups = new Map<string, { requests: number; timed: number; ms: number; output: number }>();
  for (const { usage, entries } of files) {
    for (const { counted, line, output } of usage) {
      const message = entries.find((entry) => entry.line === line)?.value.message;
      if (!counted || !isFields(message)) continue;
      const name = String(message[key] ?? "unknown");
      const sums = groups.get(name) ?? { requests: 0, timed: 0, ms: 0, output: 0 };
      groups.set(name, sums);
      sums.requests++;
      if (typeof message.durationMs !== "number" || message.durationMs < 0 || message.durationMs === 1e12)
        continue;
      sums.timed++;
      sums.ms += message.durationMs;
      sums.output += output;
    }
  }
  const speed = [...groups].map(([name, { requests, timed, ms, output }]) => [
    name,
    {
      requests,
      averageMs: timed === 0 ? null : ms / timed,
      tokensPerSecond: ms === 0 ? null : output / (ms / 1000),
    },
  ]);
  return Object.fromEntries(speed);
}

test("thinking and models have the times and speeds of a plain count, by the roll-up and by rows, copies left out", () => {
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 30 }),
      fc.array(request, { maxLength: 5 }),
      (first, more) => {
        const root = tempDir();
        const built = session({ id: "parent" }).user("x");
        for (const { output, ...each } of first)
          built.assistant({ ...each, usage: { input: 5, output, cost: { total: 1 } } });
        built.writeBelow(root);
        const fork = built.fork({ id: "fork" });
        for (const { output, ...each } of more)
          fork.assistant({ ...each, usage: { input: 5, output, cost: { total: 1 } } });
        fork.writeBelow(root);
        const index = indexOf(root);
        const { files } = countFolder(root);
        for (const [by, key] of [
          ["model", "model"],
          ["thinking", "thinkingLevel"],
        ] as const) {
          const expected = speeds(files, key);
          for (const filter of [{}, { role: "assistant" }]) {
            const { rows } = sumUsage(index, { by, timezone: "UTC", filter });
            const found = rows.map(({ key: name, requests, averageMs, tokensPerSecond }) => [
              name,
              { requests, averageMs, tokensPerSecond },
            ]);
            expect(rounded(Object.fromEntries(found))).toEqual(rounded(expected));
          }
        }
      },
    ),
    { numRuns: runs(40) },
  );
});

function rounded(speeds: Record<string, Speed>): object {
  const round = (value: number | null) => value && Math.round(value * 1e6) / 1e6;
  return Object.fromEntries(
    Object.entries(speeds).map(([name, { requests, averageMs, tokensPerSecond }]) => [
      name,
      [requests, round(averageMs), round(tokensPerSecond)],
    ]),
  );
}
