/** So few bytes are copied one by one: to have them copied takes as long. */
const FEW_BYTES = 80;

/** Copies bytes that are mostly few, and returns where they end. */
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
