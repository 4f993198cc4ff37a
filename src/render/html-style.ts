/** The whole style of an exported page. The page's policy allows this text and no other. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfc; --ink: #23262b; --faint: #6b7280; --line: #e3e5e8; --box: #f5f6f7;
  --user: #1a5fb4; --assistant: #26734d; --tool: #8a4b08; --bad: #b3261e; --mark: #fff3bf; --accent: #3b82c4;
  --added: #e3f4e8; --removed: #fbe7e5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181c; --ink: #dfe2e7; --faint: #949ba6; --line: #2d3138; --box: #1f2227;
    --user: #7fb6f5; --assistant: #7fd1a5; --tool: #e0a768; --bad: #ff8a80; --mark: #57480b; --accent: #5b9bd9;
    --added: #18321f; --removed: #3c201d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--user); }
main, body > header { max-width: 52rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0 .25rem; }
.where { color: var(--faint); margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem; font-size: .9rem; }
dt { color: var(--faint); }
dd { margin: 0; }
figure { margin: 1rem 0; }
figcaption { display: flex; justify-content: space-between; gap: 1rem; color: var(--faint); font-size: .8rem; }
svg { display: block; width: 100%; height: 5.5rem; border-bottom: 1px solid var(--line); }
svg rect { fill: var(--accent); }
svg a:hover rect, svg a:focus rect { fill: var(--bad); }
svg path { fill: none; stroke: var(--assistant); stroke-width: 2; vector-effect: non-scaling-stroke; }
nav { font-size: .9rem; }
nav ol { max-height: 40vh; overflow: auto; margin: .5rem 0; padding-left: 2.2rem; }
nav a { text-decoration: none; }
summary { cursor: pointer; }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
article, section { content-visibility: auto; contain-intrinsic-size: auto 9rem; padding: .75rem 0 .75rem 1rem; border-left: 3px solid var(--line); }
article { margin-top: .75rem; }
article.user { border-color: var(--user); background: var(--box); border-radius: 0 .5rem .5rem 0; padding-right: 1rem; }
article.assistant { border-color: var(--assistant); }
section { padding-top: 0; padding-bottom: .25rem; }
article:target, section:target { outline: 2px solid var(--accent); }
.head { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; color: var(--faint); font-size: .8rem; font-weight: normal; margin: 0; }
.head b { color: var(--tool); font-size: .9rem; }
.user .head b { color: var(--user); }
.assistant .head b { color: var(--assistant); }
.head a { color: inherit; text-decoration: none; }
mark { background: var(--mark); color: var(--ink); border-radius: .3rem; padding: 0 .4rem; unicode-bidi: isolate; }
.note { color: var(--faint); font-size: .8rem; margin: .5rem 0 .5rem 1rem; }
.note + .note { margin-top: -.3rem; }
.error { color: var(--bad); }
.text > :first-child { margin-top: .35rem; }
.text > :last-child { margin-bottom: 0; }
.text :is(h3, h4, h5, h6) { font-size: 1.05rem; margin: 1rem 0 .25rem; }
.text :is(h5, h6) { font-size: 1rem; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .75rem; overflow: auto; margin: .5rem 0; max-height: 32rem; white-space: pre; overflow-wrap: normal; font-size: .82rem; line-height: 1.45; }
.user pre { background: var(--paper); }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre:not(.wrap) { direction: ltr; unicode-bidi: isolate; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .9em; }
pre code { font-size: 1em; }
:not(pre) > code { background: var(--box); border-radius: .25rem; padding: .1em .3em; }
.user :not(pre) > code { background: var(--paper); }
hr { border: 0; border-top: 1px solid var(--line); margin: 1rem 0; }
blockquote { margin: .5rem 0; padding-inline-start: .75rem; border-inline-start: 3px solid var(--line); color: var(--faint); }
table { border-collapse: collapse; display: block; overflow-x: auto; overflow-wrap: break-word; margin: .75rem 0; font-size: .9rem; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: start; }
th.center, td.center { text-align: center; }
th.right, td.right { text-align: right; }
img { max-width: 100%; height: auto; border-radius: .4rem; border: 1px solid var(--line); margin: .5rem 0; }
.call, .result, .thinking { margin: .35rem 0; font-size: .9rem; }
pre > ins, pre > del, pre > span { display: block; text-decoration: none; min-height: 1.45em; }
pre > ins { background: var(--added); }
pre > del { background: var(--removed); }
.call > b, .call > summary > b { color: var(--tool); }
.thinking > summary, .result > summary { color: var(--faint); }
.thinking > pre { font-family: inherit; font-size: .9rem; border: 0; }
.branch { margin: .75rem 0 .75rem .5rem; padding: .25rem .5rem .25rem .75rem; border: 1px dashed var(--line); border-radius: .5rem; }
.branch > summary { color: var(--faint); font-size: .9rem; }
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --ink: #000; --faint: #444; --line: #bbb; --box: #fff;
    --user: #1a5fb4; --assistant: #26734d; --tool: #8a4b08; --bad: #b3261e; --mark: #fff3bf; --accent: #3b82c4;
  --added: #e3f4e8; --removed: #fbe7e5;
  }
  body { font-size: 10.5pt; }
  nav, .head a { display: none; }
  article, section { content-visibility: visible; }
  article.user { background: none; }
  .head, summary { break-after: avoid; }
  pre { max-height: none; white-space: pre-wrap; overflow-wrap: anywhere; }
  table { display: table; overflow-wrap: anywhere; }
  th, td { padding: .15rem .3rem; }
  table:has(th:nth-child(9)) { font-size: .7rem; }
  table:has(th:nth-child(13)) { font-size: .5rem; }
  table:has(th:nth-child(13)) :is(th, td) { padding: .1rem .2rem; }
  a { color: inherit; }
}
`;
