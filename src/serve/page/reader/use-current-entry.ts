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

function entryInSight(): HTMLElement | undefined {
  return entriesShown().find((entry) => entry.getBoundingClientRect().bottom > READING_AT);
}

/** Moves by entries that are shown. */
export function stepEntry(by: number): void {
  const entries = entriesShown();
  const now = entryInSight();
  const at = now === undefined ? 0 : entries.indexOf(now);
  const isAtTop = now !== undefined && Math.abs(now.getBoundingClientRect().top - READING_AT) < 60;
  const next = entries[Math.min(entries.length - 1, Math.max(0, by < 0 && !isAtTop ? at : at + by))];
  next?.scrollIntoView({ block: "start" });
}
