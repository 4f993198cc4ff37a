import { expect, test } from "vitest";
import type { EntryDigest } from "../../../src/format/digest.ts";
import type { EntryUsage } from "../../../src/format/usage.ts";
import type { PlacedDigest } from "../../../src/sync/read-ahead/digest-columns.ts";
import { DigestPacker } from "../../../src/sync/read-ahead/digest-packer.ts";
import { DigestUnpacker } from "../../../src/sync/read-ahead/digest-unpacker.ts";
import { fc } from "../../helpers/drawn.ts";

const text = fc.oneof(fc.constantFrom("", "a", "b", "message", "é天\ud800\0"), fc.string({ unit: "binary" }));
const textOrNull = fc.option(text);
const time = fc.option(fc.integer({ min: -8.64e15, max: 8.64e15 }));
const bytes = fc.nat({ max: 2 ** 40 });
const spent = fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e12, noNaN: true }));

const usage: fc.Arbitrary<EntryUsage> = fc.record({
  input: spent,
  output: spent,
  cacheRead: spent,
  cacheWrite: spent,
  cacheWrite1h: spent,
  reasoning: spent,
  totalTokens: spent,
  costInput: spent,
  costOutput: spent,
  costCacheRead: spent,
  costCacheWrite: spent,
  cost: spent,
  flawed: fc.boolean(),
  source: text,
  provider: textOrNull,
  model: textOrNull,
  stopReason: textOrNull,
});

const facts = fc.record({
  id: textOrNull,
  parentId: textOrNull,
  type: text,
  role: textOrNull,
  timestamp: time,
  provider: textOrNull,
  model: textOrNull,
  toolName: textOrNull,
  isError: fc.boolean(),
  customType: textOrNull,
  targetId: textOrNull,
  hasImage: fc.boolean(),
  preview: text,
});

const call = { callId: text, name: text, path: textOrNull };

const digest: fc.Arbitrary<EntryDigest> = fc.record({
  facts,
  spoken: text,
  activityAt: time,
  irregular: fc.boolean(),
  given: textOrNull,
  answers: textOrNull,
  calls: fc.array(fc.record(call), { maxLength: 3 }),
  ranMs: fc.option(fc.nat()),
  nested: fc.array(
    fc.record({ ...call, isError: fc.option(fc.boolean()), durationMs: fc.option(fc.nat()) }),
    { maxLength: 3 },
  ),
  usage: fc.option(usage),
});

const placed: fc.Arbitrary<PlacedDigest> = fc.record({ digest, offset: bytes, length: bytes });

test("whatever digests go into columns come out of them again, in order, after a journey between threads", () => {
  fc.assert(
    fc.property(fc.array(placed), fc.array(placed), (first, second) => {
      const packer = new DigestPacker();
      for (const batch of [first, second]) {
        for (const each of batch) packer.add(each);
        const unpacker = new DigestUnpacker(structuredClone(packer.take()));
        expect(batch.map(() => unpacker.next())).toEqual(batch);
      }
    }),
  );
});

test("a parent that is the entry before costs no text", () => {
  const packer = new DigestPacker();
  fc.sample(placed, { numRuns: 3, seed: 1 }).forEach((each, index) => {
    const { facts, ...rest } = each.digest;
    const chained = {
      ...facts,
      id: `id${index}`,
      parentId: index === 0 ? null : `id${index - 1}`,
      targetId: null,
    };
    const bare = { given: null, answers: null, calls: [], nested: [] };
    packer.add({ ...each, digest: { ...rest, ...bare, facts: chained } });
  });
  expect(packer.take().texts).toEqual(["id0", null, "id1", "id2"]);
});

test("a packer that has gone back has forgotten what came after, and goes on as if nothing had been", () => {
  fc.assert(
    fc.property(fc.array(placed), fc.array(placed), fc.array(placed), (before, forgotten, after) => {
      const packer = new DigestPacker();
      for (const each of before) packer.add(each);
      const { place } = packer;
      for (const each of forgotten) packer.add(each);
      packer.goBackTo(place);
      for (const each of after) packer.add(each);
      const unpacker = new DigestUnpacker(packer.take());
      expect([...before, ...after].map(() => unpacker.next())).toEqual([...before, ...after]);
    }),
  );
});
