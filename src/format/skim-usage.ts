import { FieldFinder } from "./field-finder.ts";
import { KIND, type LineTape } from "./line-tape.ts";
import { type Value, valueAt } from "./tape-values.ts";

const USAGE = {
  ...{ input: 0, output: 1, cacheRead: 2, cacheWrite: 3, cacheWrite1h: 4, reasoning: 5, totalTokens: 6 },
  cost: 7,
};
const USAGE_FIELDS = new FieldFinder(USAGE);

/** The fields of a usage that `usageOf` reads; a value that is no object is returned as it stands. */
export function skimUsage(tape: LineTape, place = 0): Value {
  if (place === 0 || tape.kindAt(place) !== KIND.object) return valueAt(tape, place);
  const places = USAGE_FIELDS.placesIn(tape, place);
  return {
    input: valueAt(tape, places[USAGE.input]),
    output: valueAt(tape, places[USAGE.output]),
    cacheRead: valueAt(tape, places[USAGE.cacheRead]),
    cacheWrite: valueAt(tape, places[USAGE.cacheWrite]),
    cacheWrite1h: valueAt(tape, places[USAGE.cacheWrite1h]),
    reasoning: valueAt(tape, places[USAGE.reasoning]),
    totalTokens: valueAt(tape, places[USAGE.totalTokens]),
    cost: skimCost(tape, places[USAGE.cost]),
  };
}

const COST = { input: 0, output: 1, cacheRead: 2, cacheWrite: 3, total: 4 };
const COST_FIELDS = new FieldFinder(COST);

function skimCost(tape: LineTape, place = 0): Value {
  if (place === 0 || tape.kindAt(place) !== KIND.object) return valueAt(tape, place);
  const places = COST_FIELDS.placesIn(tape, place);
  return {
    input: valueAt(tape, places[COST.input]),
    output: valueAt(tape, places[COST.output]),
    cacheRead: valueAt(tape, places[COST.cacheRead]),
    cacheWrite: valueAt(tape, places[COST.cacheWrite]),
    total: valueAt(tape, places[COST.total]),
  };
}
