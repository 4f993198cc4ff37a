import { PAGE_STYLE } from "./page-style.ts";

/** The whole style of a list of pages. */
export const LIST_STYLE = `${PAGE_STYLE}
[hidden] { display: none !important; }
.list > :is(header, main) { max-width: 80rem; }
.find { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; margin: .5rem 0 0; }
.find label { display: flex; flex: 1 1 20rem; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; font-size: .85rem; color: var(--faint); }
.find input { flex: 1 1 14rem; min-width: 0; font: inherit; font-size: 1rem; padding: .3rem .5rem; color: var(--ink); background: var(--box); border: 1px solid var(--faint); border-radius: .4rem; }
.find output, .pages { color: var(--faint); font-size: .85rem; }
.sessions, .sessions ol { list-style: none; margin: 0; padding: 0; }
.session { border-top: 1px solid var(--line); padding: .4rem 0; content-visibility: auto; contain-intrinsic-size: auto 4.5rem; }
.session .session { border: 0; padding: .1rem 0 .1rem 1rem; margin-left: .25rem; border-left: 3px solid var(--line); }
.facts { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; font-size: .85rem; color: var(--faint); }
.facts > :first-child { flex: 1 0 100%; font-size: .95rem; color: var(--ink); }
.facts a { text-decoration: none; }
.facts a:is(:hover, :focus) { text-decoration: underline; }
.prompts { font-size: .85rem; }
.prompts > summary { color: var(--faint); width: fit-content; }
.session .prompts ol { list-style: decimal; padding-left: 2.2rem; }
.prompts a { color: inherit; }
@media (min-width: 60rem) {
  .facts { display: grid; grid-template-columns: minmax(0, 1fr) 13rem 9.5rem 6.5rem 4.5rem 11rem; }
  .facts .figure { text-align: right; }
}
@media print {
  .find { display: none; }
  .session { content-visibility: visible; break-inside: avoid; }
}
`;

/**
 * Finds sessions by all the words that are typed, in what the list says of them and in their prompts. The policy of the
 * page allows this text and no other; without it the list is as long, and all else works.
 */
export const LIST_SCRIPT = `
const box = document.querySelector("[role=search]");
const [input, told] = [box.querySelector("input"), box.querySelector("output")];
const own = (row, what) => row.querySelector(":scope > " + what);
let sessions;
const read = () =>
  [...document.querySelectorAll(".session")].map((row) => {
    const prompts = own(row, ".prompts");
    const items = prompts ? [...prompts.querySelectorAll("li")] : [];
    return {
      row, prompts, family: row.parentElement.closest(".session"),
      text: own(row, ".facts").textContent.toLowerCase(),
      items: items.map((item) => ({ item, text: item.textContent.toLowerCase() })),
    };
  });
const find = () => {
  sessions ??= read();
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const has = (text) => words.every((word) => text.includes(word));
  const shown = new Set();
  let count = 0;
  for (const { row, prompts, family, text, items } of sessions) {
    const found = words.length === 0 ? [] : items.filter((each) => has(each.text));
    const isFound = found.length > 0 || has(text + " " + items.map((each) => each.text).join(" "));
    for (const { item } of items) item.hidden = found.length > 0;
    for (const { item } of found) item.hidden = false;
    if (prompts) prompts.open = found.length > 0;
    if (isFound) { count++; shown.add(row); if (family) shown.add(family); }
  }
  for (const { row } of sessions) row.hidden = !shown.has(row);
  told.textContent = words.length === 0 ? "" : count.toLocaleString("en") + " of " + sessions.length.toLocaleString("en") + " here";
};
let waiting;
input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(find, 120); });
box.hidden = false;
if (input.value) find();
`;
