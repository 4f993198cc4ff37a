import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { otlpLines } from "../../src/export/otlp.ts";
import { familiesOfRequests } from "../../src/reports/usage/request-log.ts";
import type { Index } from "../../src/store/open.ts";
import { sanitise } from "../../src/text/sanitise.ts";
import { emptyAgent, runCli, sampleAgent } from "../cli/pretend-world.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { countFolder } from "../helpers/independent-count.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { indexOf } from "../reports/indexed.ts";
import { happenings, writeFamily } from "../reports/waste/wasteful-store.ts";

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code: number };
  attributes: { key: string; value: { stringValue?: string; intValue?: string; doubleValue?: number } }[];
}

function spansIn(lines: string): Span[] {
  const documents = lines.split("\n").filter(Boolean);
  return documents.flatMap((line) => JSON.parse(line).resourceSpans[0].scopeSpans[0].spans);
}

function spansOf(index: Index, root: string): Span[] {
  const lines = [...otlpLines(familiesOfRequests(index, { roots: [root], filter: {} }), "1.2.3")];
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThan(1024 * 1024);
  return spansIn(lines.join(""));
}

function attributeIn({ attributes }: Span, name: string): number | string | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.intValue === undefined ? (value?.stringValue ?? value?.doubleValue) : Number(value.intValue);
}

function sum(spans: readonly Span[], name: string): number {
  return spans.reduce((total, span) => total + Number(attributeIn(span, name) ?? 0), 0);
}

test("the spans of families add up to a plain count, and stand below one another", () => {
  const families = fc.array(fc.tuple(happenings, happenings, happenings), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(families, (drawn) => {
      const root = tempDir();
      for (const [at, each] of drawn.entries()) writeFamily(root, each, at);
      const spans = spansOf(indexOf(root), root);
      const { totals } = countFolder(root);
      const requests = spans.filter(({ kind }) => kind === 3);
      expect(requests).toHaveLength(totals.requests);
      expect(sum(requests, "gen_ai.usage.cost")).toBeCloseTo(totals.cost, 9);
      const input = totals.input + totals.cacheRead + totals.cacheWrite;
      expect(sum(requests, "gen_ai.usage.input_tokens")).toBe(input);
      expect(sum(requests, "gen_ai.usage.cache_read.input_tokens")).toBe(totals.cacheRead);
      expect(sum(requests, "gen_ai.usage.cache_creation.input_tokens")).toBe(totals.cacheWrite);
      expect(sum(requests, "gen_ai.usage.output_tokens")).toBe(totals.output);
      expectTrees(spans);
    }),
    { numRuns: runs(15) },
  );
});

/** Each span but the first of a trace stands below another one of it, and within its time. */
function expectTrees(spans: readonly Span[]): void {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(spans.length);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(roots.length);
  for (const { parentSpanId, traceId, startTimeUnixNano, endTimeUnixNano } of spans) {
    const parent = parentSpanId === undefined ? undefined : byId.get(parentSpanId);
    expect(parent === undefined).toBe(parentSpanId === undefined);
    if (parent === undefined) continue;
    expect(parent.traceId).toBe(traceId);
    expect(BigInt(parent.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(startTimeUnixNano));
    expect(BigInt(parent.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(endTimeUnixNano));
  }
}

test("no time is one that readers of 64 bits refuse, and with it all of a line", () => {
  const root = tempDir();
  const far = session({ id: "far" }).user("x");
  for (const timestamp of ["+275760-09-13T00:00:00.000Z", "1969-01-01T00:00:00Z"])
    far.assistant({}, { timestamp });
  far.writeBelow(root);
  const times = spansOf(indexOf(root), root).flatMap(({ startTimeUnixNano: start, endTimeUnixNano: end }) => [
    BigInt(start),
    BigInt(end),
  ]);
  expect(times).toHaveLength(6);
  for (const time of times) expect(BigInt.asUintN(63, time)).toBe(time);
});

test("a request says who was asked, how long it took, and whether it failed, in the words of the conventions", () => {
  const root = tempDir();
  const at = "2026-11-02T10:00:00Z";
  session({ id: "asked", cwd: "/p", timestamp: at })
    .user("the secret word is quince")
    .assistant({ provider: "amazon-bedrock", model: "nova", durationMs: 1500 })
    .assistant({ provider: "xai", model: "grok", stopReason: "error", errorMessage: "overloaded" })
    .writeBelow(root);
  const [conversation, first, second] = spansOf(indexOf(root), root);
  expect(conversation).toMatchObject({ name: "invoke_agent pi", kind: 1 });
  expect(first).toMatchObject({ name: "chat nova", kind: 3, parentSpanId: conversation?.spanId });
  expect(BigInt(first?.endTimeUnixNano ?? 0) - BigInt(first?.startTimeUnixNano ?? 0)).toBe(1_500_000_000n);
  expect(first && attributeIn(first, "gen_ai.provider.name")).toBe("aws.bedrock");
  expect(first && attributeIn(first, "gen_ai.conversation.id")).toBe("asked");
  expect(first?.status).toBeUndefined();
  expect(second?.status).toEqual({ code: 2 });
  expect(second && attributeIn(second, "gen_ai.provider.name")).toBe("x_ai");
  expect(JSON.stringify([conversation, first, second])).not.toMatch(/quince|overloaded/);
});

describe("usage --otlp", () => {
  const agentDir = sampleAgent(sharedTempDir());
  const cost = (spans: readonly Span[]) => sum(spans, "gen_ai.usage.cost");

  test("writes a file for its owner alone, the same again each time", async () => {
    const file = join(tempDir(), "spans.jsonl");
    const { code, stderr } = await runCli(["usage", "--otlp", file, "--all"], { agentDir });
    expect([code, stderr]).toEqual([0, `88 requests written to ${file}, without anything that was said.\n`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const written = await readFile(file, "utf8");
    expect(cost(spansIn(written))).toBeCloseTo(countFolder(join(agentDir, "sessions")).totals.cost, 9);
    const again = await runCli(["usage", "--otlp", "-", "--all"], { agentDir });
    expect(again.stdout).toBe(written);
  });

  test("takes filters, and the last 30 days without any", async () => {
    const one = await runCli(["usage", "--otlp", "-", "--all", "--model", "gpt"], { agentDir });
    const models = spansIn(one.stdout).flatMap((span) => attributeIn(span, "gen_ai.request.model") ?? []);
    expect([...new Set(models.map((model) => String(model).slice(0, 3)))]).toEqual(["gpt"]);
    const since = await runCli(["usage", "--otlp", "-", "--since", "2026-11-14"], { agentDir });
    expect(cost(spansIn(since.stdout))).toBeCloseTo(0.026867975, 9);
  });

  test.each([
    [["--otlp", "-", "--limit", "3"], "takes no --limit"],
    [["project", "--otlp", "-"], "Leave out project"],
    [["--otlp", "-", "--json"], "takes no --json"],
    [["--otlp", "-", "--estimate"], "takes no --estimate"],
    [["statusline", "--otlp", "-"], "takes no --otlp"],
    [["--otlp", join(agentDir, "sessions", "x.jsonl")], "is inside a sessions folder"],
  ])("refuses %j", async (words, complaint) => {
    const { code, stdout, stderr } = await runCli(["usage", ...words], { agentDir });
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(complaint)]);
  });

  test("writes nothing that a terminal obeys", async () => {
    const evil = emptyAgent(tempDir());
    const model = "m\u001b]0;x\u0007\u009b31m\u202e";
    session({ cwd: "/p\u009b2J" })
      .assistant({ model, usage: { input: 1 } })
      .writeBelow(join(evil, "sessions"));
    const { stdout } = await runCli(["usage", "--otlp", "-", "--all"], { agentDir: evil });
    expect(stdout).toBe(sanitise(stdout));
    expect(spansIn(stdout).map((span) => attributeIn(span, "gen_ai.request.model"))).toContain(model);
  });

  test("writes nothing where nothing was used", async () => {
    const { code, stdout } = await runCli(["usage", "--otlp", "-"], { agentDir: emptyAgent(tempDir()) });
    expect([code, stdout]).toEqual([0, ""]);
  });
});
