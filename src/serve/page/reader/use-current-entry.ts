import { useEffect, useState } from "preact/hooks";

/** The entry at the top of the view. */
export interface CurrentEntry {
  place: number;
  /** As a handle names it: `16`. */
  line: string;
}

/** Where reading is, in pixels from the top: below what sticks there. */
const READING_AT = 120;

export function useCurrentEntry(): CurrentEntry {
  const [current, setCurrent] = useState<CurrentEntry>({ place: 0, line: "" });
  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const found = entryInSight();
      if (found === undefined) return;
      const now = { place: Number(found.dataset.place), line: found.id.slice(1) };
      setCurrent((before) => (before.place === now.place && before.line === now.line ? before : now));
    };
    const soon = (): void => {
      frame ||= requestAnimationFrame(look);
    };
    const timer = setInterval(soon, 1000);
    addEventListener("scroll", soon, { passive: true });
    return () => {
      clearInterval(timer);
      cancelAnimationFrame(frame);
      removeEventListener("scroll", soon);
    };
  }, []);
  return current;
}

function entriesShown(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(".piece > .transcript > [data-place]")];
}

/** The one with the focus, as long as it is in sight; else the first. */
function entryInSight(): HTMLElement | undefined {
  const focused = document.activeElement?.closest<HTMLElement>(".piece > .transcript > [data-place]");
  if (focused) {
    const { top, bottom } = focused.getBoundingClientRect();
    if (bottom > READING_AT && top < innerHeight) return focused;
  }
  return entriesShown().find((entry) => entry.getBoundingClientRect().bottom > READING_AT);
}

/** Moves by entries that are shown. */
export function stepEntry(by: number): void {
  const entries = entriesShown();
  const now = entryInSight();
  const at = now === undefined ? 0 : entries.indexOf(now);
  const next = entries[Math.min(entries.length - 1, Math.max(0, at + by))];
  next?.scrollIntoView({ block: "start" });
  next?.setAttribute("tabindex", "-1");
  next?.focus({ preventScroll: true });
}
