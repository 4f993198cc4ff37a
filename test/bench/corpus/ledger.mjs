/** @typedef {"text" | "image" | "signature" | "other"} Kind */

/** Shares of the bytes of a corpus: searchable text, images, signatures, and the JSON around them with details. */
export const SHARES = { text: 0.6, image: 0.06, signature: 0.12, other: 0.22 };

/** Bytes of one line over which a surplus or a lack is made up for. */
const PATIENCE = 60;

/** Keeps account of what has been written and says what is lacking, so that the shares come out as planned. */
export class Ledger {
  /** @type {Record<Kind, number>} */
  written = { text: 0, image: 0, signature: 0, other: 0 };
  lines = 0;

  /** @param {number} bytesPerLine */
  constructor(bytesPerLine) {
    this.bytesPerLine = bytesPerLine;
  }

  /**
   * Bytes of this kind that the lines so far should have had and have not.
   * @param {Kind} kind
   */
  lacking(kind) {
    return SHARES[kind] * this.bytesPerLine * this.lines - this.written[kind];
  }

  /**
   * What to multiply the usual length by, to come back to the plan.
   * @param {Kind} kind
   */
  factor(kind) {
    const factor = 1 + this.lacking(kind) / (PATIENCE * SHARES[kind] * this.bytesPerLine);
    return Math.min(4, Math.max(0.1, factor));
  }
}
