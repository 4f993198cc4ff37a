// Draws what a terminal shows as an SVG that changes from one screen to the next, without a script in it.
import stringWidth from "string-width";

const CHARACTER = { width: 8.4, height: 18 };
const MARGIN = 18;
const BAR = 34;
const ESCAPE = "\u001b";
const LOOK_OR_TEXT = new RegExp(String.raw`${ESCAPE}\[([\d;]*)m|([^${ESCAPE}]+)`, "g");
const SECONDS_A_SCREEN = 6;
const COLORS = {
  background: "#16181d",
  bar: "#23262d",
  text: "#d7dae0",
  30: "#5c6370",
  31: "#e06c75",
  32: "#98c379",
  33: "#e5c07b",
  34: "#61afef",
  35: "#c678dd",
  36: "#56b6c2",
  37: "#d7dae0",
  90: "#7f848e",
};

/** @param screens texts with SGR colours; @param columns of the terminal */
export function terminalSvg(screens, { columns, title }) {
  const lines = screens.map((screen) => screen.split("\n"));
  const width = Math.ceil(columns * CHARACTER.width + 2 * MARGIN);
  const height = BAR + Math.max(...lines.map((each) => each.length)) * CHARACTER.height + 2 * MARGIN;
  const share = 100 / screens.length;
  const total = screens.length * SECONDS_A_SCREEN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeText(title)}</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${COLORS.text};white-space:pre}
.b{font-weight:700}.d{opacity:.6}
${[30, 31, 32, 33, 34, 35, 36, 37, 90].map((code) => `.c${code}{fill:${COLORS[code]}}`).join("")}
.s{opacity:0}.s:first-of-type{opacity:1}.s{animation:show ${total}s infinite}
@keyframes show{0%,${(share - 1).toFixed(1)}%{opacity:1}${share.toFixed(1)}%,100%{opacity:0}}
@media (prefers-reduced-motion:reduce){.s{animation:none}}
</style>
<rect width="100%" height="100%" rx="9" fill="${COLORS.background}"/>
<path d="M0 ${BAR}V9a9 9 0 0 1 9-9h${width - 18}a9 9 0 0 1 9 9v${BAR - 9}z" fill="${COLORS.bar}"/>
${["#ff5f57", "#febc2e", "#28c840"].map((fill, at) => `<circle cx="${20 + at * 20}" cy="${BAR / 2}" r="6" fill="${fill}"/>`).join("")}
${lines.map((each, at) => `<g class="s" style="animation-delay:${at * SECONDS_A_SCREEN}s">\n${screenOf(each)}\n</g>`).join("\n")}
</svg>
`;
}

function screenOf(lines) {
  return lines
    .map((line, row) => {
      const y = BAR + MARGIN + row * CHARACTER.height + 10;
      return spansOf(line)
        .filter(({ text }) => text.trim() !== "")
        .map(({ text, column, classes }) => textAt(text, MARGIN + column * CHARACTER.width, y, classes))
        .join("");
    })
    .filter(Boolean)
    .join("\n");
}

/** `textLength` keeps columns in line whatever the reader's font is. */
function textAt(text, x, y, classes) {
  const shown = text.trimEnd();
  const name = classes.length > 0 ? ` class="${classes.join(" ")}"` : "";
  const length = (stringWidth(shown) * CHARACTER.width).toFixed(1);
  return `<text x="${x.toFixed(1)}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${name}>${escapeText(shown)}</text>`;
}

/** Stretches of one look. Several spaces begin a new one, so that columns stand where they should. */
function spansOf(line) {
  const spans = [];
  const look = { bold: false, dim: false, color: 0 };
  let column = 0;
  for (const [, codes, plain] of line.matchAll(LOOK_OR_TEXT)) {
    if (codes !== undefined) applyCodes(look, codes);
    for (const text of (plain ?? "").split(/(?<=\S)(?= {2})|(?<= {2})(?=\S)/)) {
      if (text !== "") spans.push({ text, column, classes: classesOf(look) });
      column += stringWidth(text, { countAnsiEscapeCodes: true });
    }
  }
  return spans;
}

function applyCodes(look, codes) {
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) Object.assign(look, { bold: false, dim: false, color: 0 });
    else if (code === 1) look.bold = true;
    else if (code === 2) look.dim = true;
    else if (code === 22) Object.assign(look, { bold: false, dim: false });
    else if (code === 39) look.color = 0;
    else if (code in COLORS) look.color = code;
  }
}

function classesOf({ bold, dim, color }) {
  return [bold && "b", dim && "d", color && `c${color}`].filter(Boolean);
}

function escapeText(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
