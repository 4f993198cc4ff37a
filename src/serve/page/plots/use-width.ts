import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width that an element has got, in pixels; 0 before it is known. */
export function useWidth<E extends HTMLElement>(): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const look = (): void => setWidth(element.current?.clientWidth ?? 0);
    const observer = new ResizeObserver(look);
    observer.observe(element.current);
    look();
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
