/** Repeatable randomness: the same seed gives the same numbers on every machine and Node. */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = Math.imul(seed | 0, 0x9e3779b1) ^ 0x5bd1e995;
  }

  /** A whole number from 0 to 2^32 - 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A number from 0 up to but not including 1. */
  unit() {
    return this.next() / 0x1_0000_0000;
  }

  /**
   * A whole number from 0 up to but not including `limit`.
   * @param {number} limit
   */
  below(limit) {
    return Math.floor(this.unit() * limit);
  }

  /** @param {number} probability */
  chance(probability) {
    return this.unit() < probability;
  }

  /**
   * @template T
   * @param {readonly T[]} items at least one
   * @returns {T}
   */
  pick(items) {
    return /** @type {T} */ (items[this.below(items.length)]);
  }

  /**
   * A length around `mean` with a long tail.
   * @param {number} mean
   * @param {number} [spread] standard deviation of the logarithm
   */
  length(mean, spread = 0.9) {
    const normal = Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
    return Math.round(mean * Math.exp(spread * normal - (spread * spread) / 2));
  }

  /** @param {number} digits at most 8 */
  hex(digits) {
    return this.next().toString(16).padStart(8, "0").slice(0, digits);
  }

  /**
   * Puts the items in another order, in place.
   * @template {{ length: number; [index: number]: unknown }} T
   * @param {T} items
   */
  shuffle(items) {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const item = items[last];
      items[last] = items[other];
      items[other] = item;
    }
    return items;
  }
}
