import { useEffect, useState } from "preact/hooks";

const narrow = matchMedia("(max-width: 40rem)");

/** Whether the page is as narrow as a phone, as the style sheets have it. */
export function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(narrow.matches);
  useEffect(() => {
    const look = (): void => setIsNarrow(narrow.matches);
    narrow.addEventListener("change", look);
    return () => narrow.removeEventListener("change", look);
  }, []);
  return isNarrow;
}
