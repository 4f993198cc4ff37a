import { describe, expect, test } from "vitest";
import { maskJson } from "../../src/text/mask-json.ts";
import { fc } from "../helpers/drawn.ts";

/** In two pieces, so that nobody takes this file for one that holds a secret. */
const TOKEN = `ghp_${"Zk3rT9vQ1xW7bN5mL2pH8sD4fG6jK0aYcE1u"}`;
const VALUE = `Xk29${"vQpL8rTz5mWn"}`;

describe("a secret in JSON is masked", () => {
  test.each<[where: string, json: string, masked: string]>([
    ["in a list", `[1.0, "a ${TOKEN}"]`, '[1.0, "a [masked GitHub token]"]'],
    ["by the name of its field", `{"apiKey" :\n "${VALUE}"}`, '{"apiKey" :\n "[masked secret]"}'],
    ["by an escaped name", `{"api\\u004bey":"${VALUE}"}`, '{"api\\u004bey":"[masked secret]"}'],
    ["as the name of a field", `{"${TOKEN}":1e400}`, '{"[masked GitHub token]":1e400}'],
    ["behind an escape", `["\\n${TOKEN}\\\\", "\\/"]`, '["\\n[masked GitHub token]\\\\", "\\/"]'],
    ["written with escapes", `["gh\\u0070_${TOKEN.slice(4)}"]`, '["[masked GitHub token]"]'],
    ["behind quotes that are escaped", `["\\\\\\"","${TOKEN}"]`, '["\\\\\\"","[masked GitHub token]"]'],
    [
      "in JSON that is a text",
      `{"a":"{\\"password\\":\\"${VALUE}\\"}"}`,
      '{"a":"{\\"password\\":\\"[masked secret]\\"}"}',
    ],
    ["as a line of its own", `"${TOKEN}"`, '"[masked GitHub token]"'],
  ])("%s", (_where, json, masked) => {
    expect(maskJson(json)).toEqual({ text: masked, masked: 1 });
  });

  test("each of several, and all are counted", () => {
    const { text, masked } = maskJson(`{"password":"${VALUE}","b":["${TOKEN} ${TOKEN}"]}`);
    expect([text, masked]).toEqual([
      '{"password":"[masked secret]","b":["[masked GitHub token] [masked GitHub token]"]}',
      3,
    ]);
  });
});

test("a number is no secret, whatever its field is called", () => {
  const json = '{"tokenPrice":1.23456789e-7,"password":12345678901234567890}';
  expect(maskJson(json)).toEqual({ text: json, masked: 0 });
});

test("what no secret is in stays as it is, and a secret put anywhere leaves JSON with all else the same", () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 0, max: 3 }), (json, space) => {
      const spaced = JSON.stringify(JSON.parse(json), null, space);
      expect(maskJson(spaced)).toEqual({ text: spaced, masked: 0 });
      const { text } = maskJson(`{"before":${spaced},"token":"${TOKEN}","after":${spaced}}`);
      expect(text).toBe(`{"before":${spaced},"token":"[masked GitHub token]","after":${spaced}}`);
    }),
  );
});
