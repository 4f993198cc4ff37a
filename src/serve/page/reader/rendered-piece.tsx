import { useLayoutEffect, useRef } from "preact/hooks";
import { renderedElements } from "../trusted-html.ts";

interface PieceProps {
  html: string;
  /** The place of an entry that stands out. */
  mark?: number | null;
  /** Places that belong here, `[from, end)`: what a call needs is rendered with it, also beyond. */
  places?: readonly [from: number, end: number];
  onRendered?: (element: HTMLElement) => void;
}

/** A piece of a conversation, rendered by the server. */
export function RenderedPiece({ html, mark = null, places, onRendered }: PieceProps) {
  const element = useRef<HTMLDivElement>(null);
  const [from, end] = places ?? [0, Number.POSITIVE_INFINITY];
  useLayoutEffect(() => {
    element.current?.replaceChildren(...belongingTo(renderedElements(html), from, end));
    if (element.current !== null) onRendered?.(element.current);
  }, [html, from, end]);
  useLayoutEffect(() => {
    const marked = mark === null ? null : element.current?.querySelector(`[data-place="${mark}"]`);
    marked?.classList.add("here");
    return () => marked?.classList.remove("here");
  }, [html, mark]);
  return <div ref={element} class="transcript" />;
}

/** What stands at the places, with the links to other branches below it and the notes above it. */
function belongingTo(elements: readonly Element[], from: number, end: number): Element[] {
  const belongs = (place: number): boolean => place >= from && place < end;
  const kept: Element[] = [];
  let above: Element[] = [];
  // Links above the first entry leave from the root.
  let last = from === 0 ? 0 : -1;
  for (const element of elements) {
    const place = element.getAttribute("data-place");
    if (place !== null) {
      last = Number(place);
      if (belongs(last)) kept.push(...above, element);
      above = [];
    } else if (element.classList.contains("fork")) {
      if (belongs(last)) kept.push(element);
    } else above.push(element);
  }
  return [...kept, ...(belongs(last) ? above : [])];
}
