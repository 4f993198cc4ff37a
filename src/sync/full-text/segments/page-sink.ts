/** Where what is written of a segment goes. */
export interface PageSink {
  /** One row of `entry_text_data`; the bytes are good until the next call. */
  block(id: number, bytes: Uint8Array): void;
  /**
   * One row of `entry_text_idx`: the page on which words from this one on begin. `pageAndFlag` is twice the page's
   * number, plus 1 where it has a doclist index.
   */
  beginning(word: Uint8Array, pageAndFlag: number): void;
}

/** Where the parts of an `id` begin, in bits: page number, height, whether it is a doclist index, segment. */
const HEIGHT = 2 ** 31;
const IS_INDEX = 2 ** 36;
const SEGMENT = 2 ** 37;

/** The `id` of a page of words. */
export function pageId(segment: number, page: number): number {
  return segment * SEGMENT + page;
}

/** The `id` of a page of a doclist index, the leaves of which are of height 0. */
export function indexPageId(segment: number, height: number, page: number): number {
  return segment * SEGMENT + IS_INDEX + height * HEIGHT + page;
}
