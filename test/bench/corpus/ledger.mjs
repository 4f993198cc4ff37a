/** @typedef {"text" | "image" | "signature" | "other"} Kind */

/** Shares of the bytes of a corpus: searchable text, images, signatures, and the JSON around them with details. */
export const SHARES = { text: 0.6, image: 0.06, signature: 0.12, other: 0.22 };

/** How many lines it takes to make up for a surplus or a lack. */
const PATIENCE = 60;

/** Counts the bytes written of each kind, and says which are lacking, so that the shares come out as planned. */
export class Ledger {
  /** @type {Record<Kind, number>} */
  written = { text: 0, image: 0, signature: 0, other: 0 };
  lines = 0;

  /** @param {number} bytesPerLine */
  constructor(bytesPerLine) {
    this.bytesPerLine = bytesPerLine;
  }

  /**
   * How many bytes of this kind the lines so far lack.
   * @param {Kind} kind
   */
  lacking(kind) {
    return SHARES[kind] * this.bytesPerLine * this.lines - this.written[kind];
  }

  /**
   * The factor for the usual length with which the shares come back to the plan.
   * @param {Kind} kind
   */
  factor(kind) {
    const factor = 1 + this.lacking(kind) / (PATIENCE * SHARES[kind] * this.bytesPerLine);
    return Math.min(4, Math.max(0.1, factor));
  }
}
