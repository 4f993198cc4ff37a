/** How a conversation looks, below one class, so that it can stand within any page. */
export const TRANSCRIPT_STYLE = `
.transcript {
  color-scheme: light dark;
  --paper: #fdfdfc; --ink: #23262b; --faint: #5b626e; --line: #e3e5e8; --box: #f5f6f7;
  --user: #1a5fb4; --assistant: #26734d; --tool: #8a4b08; --bad: #b3261e; --mark: #fff3bf; --accent: #3b82c4;
  --added: #e3f4e8; --removed: #fbe7e5;
  --word: #7a2f9e; --string: #1d6b3c; --number: #8a4b08; --title: #1a5fb4;
  background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere;
  @media (prefers-color-scheme: dark) {
    --paper: #16181c; --ink: #dfe2e7; --faint: #a0a7b2; --line: #2d3138; --box: #1f2227;
    --user: #7fb6f5; --assistant: #7fd1a5; --tool: #e0a768; --bad: #ff8a80; --mark: #57480b; --accent: #5b9bd9;
    --added: #18321f; --removed: #3c201d;
    --word: #c9a0ec; --string: #8fd19e; --number: #e0a768; --title: #7fb6f5;
  }
  &, * { box-sizing: border-box; }
  a { color: var(--user); }
  :is(h1, h2, h3, h4, h5, h6) { line-height: 1.3; }
  summary { cursor: pointer; }
  :is(summary, a, pre, input, .wide):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  article, section { content-visibility: auto; contain-intrinsic-size: auto 9rem; padding: .75rem 0 .75rem 1rem; border-left: 3px solid var(--line); }
  article { margin-top: .75rem; }
  article.user { border-color: var(--user); background: var(--box); border-radius: 0 .5rem .5rem 0; padding-right: 1rem; }
  article.assistant { border-color: var(--assistant); }
  section { padding-top: 0; padding-bottom: .25rem; }
  :target { outline: 2px solid var(--accent); outline-offset: 2px; }
  .head { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; color: var(--faint); font-size: .8rem; font-weight: normal; line-height: inherit; margin: 0; }
  .head b { color: var(--tool); font-size: .9rem; }
  .user .head b { color: var(--user); }
  .assistant .head b { color: var(--assistant); }
  .head a { color: inherit; text-decoration: none; margin-left: auto; }
  mark { background: var(--mark); color: var(--ink); border-radius: .3rem; padding: 0 .4rem; unicode-bidi: isolate; }
  .note { color: var(--faint); font-size: .8rem; margin: .5rem 0 .5rem 1rem; }
  .note + .note { margin-top: -.3rem; }
  .text > :first-child { margin-top: .35rem; }
  .text > :last-child { margin-bottom: 0; }
  .text :is(h3, h4, h5, h6) { font-size: 1.05rem; margin: 1rem 0 .25rem; }
  .text :is(h5, h6) { font-size: 1rem; }
  pre { background: var(--box); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .75rem; overflow: auto; margin: .5rem 0; max-height: 32rem; white-space: pre; overflow-wrap: normal; font-size: .82rem; line-height: 1.45; }
  .user pre { background: var(--paper); }
  pre:is(.wrap, .error) { white-space: pre-wrap; overflow-wrap: anywhere; }
  code, pre:not(.wrap) { direction: ltr; unicode-bidi: isolate; }
  code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
  code { font-size: .9em; }
  pre code { font-size: 1em; }
  :not(pre) > code { background: var(--box); border-radius: .25rem; padding: .1em .3em; }
  .user :not(pre) > code { background: var(--paper); }
  hr { border: 0; border-top: 1px solid var(--line); margin: 1rem 0; }
  blockquote { margin: .5rem 0; padding-inline-start: .75rem; border-inline-start: 3px solid var(--line); color: var(--faint); }
  .wide { overflow-x: auto; margin: .75rem 0; }
  table { border-collapse: collapse; overflow-wrap: break-word; font-size: .9rem; }
  th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: start; }
  :is(th, td).center { text-align: center; }
  :is(th, td).right { text-align: right; }
  img { display: block; max-width: 100%; height: auto; border-radius: .4rem; border: 1px solid var(--line); margin: .5rem 0; }
  .call, .result, .thinking { margin: .35rem 0; font-size: .9rem; }
  .call .call, .call .result { font-size: 1em; }
  p.call + .result { margin-top: -.2rem; }
  .call b { color: var(--tool); }
  .call small, .thinking > summary, .result > summary { color: var(--faint); }
  .call small { font-size: .8rem; white-space: nowrap; }
  :is(p, span, pre, div, details).error { color: var(--bad); }
  .thinking > summary > bdi { font-style: italic; }
  .thinking[open] > summary > bdi { display: none; }
  .thinking > pre { font-family: inherit; font-size: .9rem; border: 0; }
  ins, del { text-decoration: none; }
  small ins { color: var(--string); }
  small del { color: var(--bad); }
  pre > :is(ins, del, span):not([class]) { display: block; min-height: 1.45em; }
  pre > ins { background: var(--added); }
  pre > del { background: var(--removed); }
  .branch, .fork { margin: .75rem 0 .75rem .5rem; padding: .25rem .5rem .25rem .75rem; border: 1px dashed var(--line); border-radius: .5rem; }
  .branch > summary, .fork { color: var(--faint); font-size: .9rem; }
  &:has(.hide-thinking:checked) .thinking, &:has(.hide-tools:checked) :is(.call, .result, section) { display: none; }
  &:has(.hide-tools:checked) article:not(:has(> :is(.text, .thinking, img, p.error))) { display: none; }
  &:has(.hide-tools:checked):has(.hide-thinking:checked) article:not(:has(> :is(.text, img, p.error))) { display: none; }
  :is(.c-keyword, .c-built_in, .c-literal, .c-type, .c-meta, .c-selector-tag) { color: var(--word); }
  :is(.c-string, .c-regexp, .c-symbol, .c-addition, .c-link) { color: var(--string); }
  :is(.c-number, .c-attr, .c-attribute, .c-variable, .c-template-variable) { color: var(--number); }
  :is(.c-title, .c-section, .c-name, .c-selector-class, .c-selector-id, .c-bullet) { color: var(--title); }
  :is(.c-comment, .c-quote) { color: var(--faint); }
  .c-deletion { color: var(--bad); }
  .c-emphasis { font-style: italic; }
  .c-strong { font-weight: bold; }
  @media print {
    color-scheme: light;
    --paper: #fff; --ink: #000; --faint: #444; --line: #bbb; --box: #fff;
    --user: #1a5fb4; --assistant: #26734d; --tool: #8a4b08; --bad: #b3261e; --mark: #fff3bf; --accent: #3b82c4;
    --added: #e3f4e8; --removed: #fbe7e5;
    --word: #7a2f9e; --string: #1d6b3c; --number: #8a4b08; --title: #1a5fb4;
    font-size: 10.5pt;
    .head a { display: none; }
    details::details-content { content-visibility: visible; }
    article, section { content-visibility: visible; }
    article.user { background: none; }
    .head, summary { break-after: avoid; }
    summary { list-style: none; }
    .thinking > summary > bdi { display: none; }
    pre { max-height: none; white-space: pre-wrap; overflow-wrap: anywhere; }
    table { overflow-wrap: anywhere; }
    th, td { padding: .15rem .3rem; }
    table:has(th:nth-child(9)) { font-size: .7rem; }
    table:has(th:nth-child(13)) { font-size: .5rem; }
    table:has(th:nth-child(13)) :is(th, td) { padding: .1rem .2rem; }
    a { color: inherit; }
  }
}
`;
