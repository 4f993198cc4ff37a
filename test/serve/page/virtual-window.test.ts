import { expect, test } from "vitest";
import { touchedBlocks, virtualWindow } from "../../../src/serve/page/sessions/virtual-window.ts";
import { fc } from "../../helpers/drawn.ts";

const lists = fc.record({
  above: fc.integer({ min: -2000, max: 2_000_000 }),
  view: fc.integer({ min: 1, max: 2000 }),
  height: fc.integer({ min: 20, max: 100 }),
  total: fc.integer({ min: 0, max: 20_000 }),
});

test("every row in sight is drawn, and few others", () => {
  fc.assert(
    fc.property(lists, ({ above, view, height, total }) => {
      const { first, end } = virtualWindow(above, view, { height, total });
      for (let row = 0; row < total; row++) {
        const isInSight = (row + 1) * height > above && row * height < above + view;
        if (isInSight) expect(row >= first && row < end).toBe(true);
      }
      expect(end - first).toBeLessThanOrEqual(Math.ceil(view / height) + 18);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(end).toBeLessThanOrEqual(total);
    }),
    { numRuns: 50 },
  );
});

test("blocks hold each row of a window once", () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(300), fc.integer({ min: 1, max: 100 }), (first, count, size) => {
      const rows = touchedBlocks({ first, end: first + count }, size).flatMap((part) =>
        Array.from({ length: part.end - part.first }, (_, at) => part.block * size + part.first + at),
      );
      expect(rows).toEqual(Array.from({ length: count }, (_, at) => first + at));
    }),
  );
});
