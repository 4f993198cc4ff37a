import { markedParts } from "./marked-parts.ts";

/** A text with what was found in it marked. */
export function MarkedText({
  text,
  ranges,
}: {
  text: string;
  ranges: readonly (readonly [number, number])[];
}) {
  return (
    <bdi>
      {markedParts(text, ranges).map(({ at, part, isMarked }) =>
        isMarked ? <mark key={at}>{part}</mark> : part,
      )}
    </bdi>
  );
}
