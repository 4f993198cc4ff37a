/** Up to so many bytes are copied one by one: a call that copies them takes as long. */
const FEW_BYTES = 80;

/** Copies a stretch of bytes, mostly a short one, and returns where it ends in the target. */
export function copyBytes(
  bytes: Uint8Array,
  from: number,
  to: number,
  into: Uint8Array,
  place: number,
): number {
  if (to - from > FEW_BYTES) into.set(bytes.subarray(from, to), place);
  else for (let at = from; at < to; at++) into[place + at - from] = bytes[at] ?? 0;
  return place + to - from;
}
