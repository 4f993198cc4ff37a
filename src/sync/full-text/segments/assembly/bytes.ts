/** Keeps the first so many of four bytes. */
export function firstOf(four: u32, length: u32): u32 {
  return length >= 4 ? four : four & ((1 << (8 * length)) - 1);
}
