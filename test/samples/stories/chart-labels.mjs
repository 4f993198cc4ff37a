// A screenshot, an answer interrupted halfway, and a turn that goes another way.
import { bash, edit, interrupted, read, say } from "../../peers/pi/turns.mjs";
import { barChart } from "../bar-chart.mjs";

const chart = `export function axisLabels(days: string[]): string {
  return days.map((day, i) => \`<text x="\${i * 24}" y="96" class="tick">\${day}</text>\`).join("");
}
`;

const tooMuch = `The labels overlap because every one of them is drawn. Let me suggest a complete rework of the chart module: we could bring in a charting library which has collision detection, time scales, responsive containers, animation and theming. First, I would replace the hand-written SVG with a component hierarchy. Second, I would add a scale abstraction so that linear, logarithmic and time axes share one interface. Third, I would introduce a layout pass that measures text in a hidden canvas`;

export default {
  name: "chart-labels",
  start: "2026-11-02T08:24:30.125Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/orchard",
      files: { "src/chart.ts": chart },
      model: "anthropic/claude-sonnet-4-6",
    });

    await pi.ask(
      "The dates under the harvest chart run into each other (screenshot). What would you do?",
      [interrupted([say(tooMuch)], 380)],
      { images: [{ type: "image", data: barChart().toString("base64"), mimeType: "image/png" }] },
    );
    await pi.ask("Stop, no library please. It's 40 lines of SVG and I like it that way.", [
      [read("src/chart.ts")],
      [
        say(
          "Fair. Then draw only as many labels as fit: one for every 60 pixels, which at 24 pixels a bar is every third day.",
        ),
        edit("src/chart.ts", [
          `export function axisLabels(days: string[]): string {
  return days.map((day, i) => \`<text x="\${i * 24}" y="96" class="tick">\${day}</text>\`).join("");
}
`,
          `const BAR = 24;
const LABEL = 60; // widest label in pixels, with some air

export function axisLabels(days: string[]): string {
  const step = Math.ceil(LABEL / BAR);
  return days
    .map((day, i) => (i % step === 0 ? \`<text x="\${i * BAR}" y="96" class="tick">\${day}</text>\` : ""))
    .join("");
}
`,
        ]),
        bash(
          "npx vitest run test/chart.test.ts",
          " ✓ test/chart.test.ts (2 tests) 4ms\n\n Tests  2 passed (2)\n",
          { seconds: 3 },
        ),
      ],
      "Now every third day has a label. Both numbers have names at the top of `src/chart.ts`, should the bars ever change width.",
    ]);
    pi.end();
    return { file: pi.file };
  },
};
