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

interface MarkedPart {
  /** Where it begins. */
  at: number;
  part: string;
  isMarked: boolean;
}

/** A text in parts, those in the ranges marked. @param ranges `[start, end)` in UTF-16 units, in order */
function markedParts(text: string, ranges: readonly (readonly [number, number])[]): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let at = 0;
  const add = (end: number, isMarked: boolean): void => {
    if (end > at) parts.push({ at, part: text.slice(at, end), isMarked });
    at = Math.max(at, end);
  };
  for (const [start, end] of ranges) {
    add(start, false);
    add(end, true);
  }
  add(text.length, false);
  return parts;
}
