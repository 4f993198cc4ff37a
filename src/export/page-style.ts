import { TRANSCRIPT_STYLE } from "../render/html-style.ts";

/** The whole style of an exported page. Its policy allows this text and no other. */
export const PAGE_STYLE = `${TRANSCRIPT_STYLE}
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; }
header, main, nav { max-width: 52rem; margin: 0 auto; padding: .5rem 1rem; }
main { padding-bottom: 3rem; }
h1 { font-size: 1.4rem; margin: .25rem 0 0; }
.where { color: var(--faint); margin: 0; font-size: .9rem; }
dl { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: .25rem 0; font-size: .85rem; line-height: 1.5; }
dt, dd { display: inline; margin: 0; }
dt { color: var(--faint); }
.spent { display: grid; grid-template-columns: auto 1fr auto; gap: 0 .5rem; margin: .5rem 0 0; font-size: .75rem; line-height: 1.4; color: var(--faint); }
.spent figcaption, .spent .entries { grid-column: 2; }
.spent .entries { display: flex; justify-content: space-between; }
.spent a { color: inherit; text-decoration: none; }
.spent span.bars { color: var(--user); }
.spent span.sum { color: var(--assistant); }
.axis.bars { grid-column: 1; }
.axis.sum { grid-column: 3; }
.spent svg { grid-column: 2; }
.axis { display: flex; flex-direction: column; justify-content: space-between; text-align: right; }
.axis.sum { text-align: left; }
svg { display: block; width: 100%; height: 4rem; border-bottom: 1px solid var(--line); overflow: visible; }
svg rect { fill: var(--accent); }
svg a:hover rect, svg a:focus rect { fill: var(--bad); }
svg path { fill: none; stroke: var(--assistant); stroke-width: 1.5; vector-effect: non-scaling-stroke; pointer-events: none; }
nav { font-size: .85rem; }
nav summary { color: var(--faint); }
nav ol { max-height: 40vh; overflow: auto; margin: .25rem 0; padding-left: 2.2rem; }
nav li { margin: .15rem 0; }
nav a { text-decoration: none; }
.hide { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0; font-size: .85rem; color: var(--faint); }
@media screen and (min-width: 70rem) {
  body:has(> nav) { display: grid; grid-template-columns: minmax(14rem, 19rem) minmax(0, 52rem); justify-content: center; align-items: start; }
  body > header { grid-column: 1 / -1; width: 100%; max-width: 71rem; }
  nav { position: sticky; top: 0; max-height: 100vh; overflow: auto; margin: 0; }
  nav summary { list-style: none; pointer-events: none; }
  nav ol { max-height: none; padding-left: 1.8rem; }
  nav details::details-content { content-visibility: visible; }
  main { width: 100%; margin: 0; }
}
@media print {
  nav, .hide { display: none; }
  header, main { max-width: none; padding: 0; }
}
`;
