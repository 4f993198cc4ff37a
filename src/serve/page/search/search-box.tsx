import { useEffect, useRef, useState } from "preact/hooks";
import { whoseIn } from "../filters.ts";
import { changeQuery, goTo, route } from "../navigation.ts";
import { pageAddress } from "../route.ts";

/** How long typing rests before it is asked, in milliseconds. */
const REST = 60;

/** The one field for searching, above every page: what is typed into it stays in it while the page beneath changes. */
export function SearchBox() {
  const { page, query } = route.value;
  const isSearch = page === "search";
  const asked = isSearch ? (query.q ?? "") : "";
  const field = useRef<HTMLInputElement>(null);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [text, setText] = useState(asked);
  useEffect(() => {
    // Where there are hits, keys go through them.
    if (isSearch && asked === "" && document.activeElement === document.body) field.current?.focus();
  }, [isSearch]);
  useEffect(() => {
    // What is being typed is ahead of what is asked.
    if (document.activeElement !== field.current || asked === "") setText(asked);
  }, [asked]);
  return (
    <search class={isSearch ? "wide" : ""}>
      <input
        ref={field}
        id="search"
        type="search"
        aria-label="Search everything"
        placeholder="Search everything  /"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "ArrowDown") return;
          event.preventDefault();
          document.querySelector<HTMLElement>(".hits li a")?.focus();
        }}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          clearTimeout(rest.current);
          rest.current = setTimeout(() => searchFor(value), REST);
        }}
      />
    </search>
  );
}

/** The first letter leads to the page of hits; what follows is the same step of the history. */
function searchFor(text: string): void {
  if (route.value.page === "search") changeQuery({ q: text, n: "" }, { replace: true });
  else if (text !== "") goTo(pageAddress("/search", { ...whoseIn(route.value.query), q: text }));
}
