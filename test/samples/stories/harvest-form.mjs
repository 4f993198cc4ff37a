// A small feature from first look to green tests, with one failing test on the way.
import { bash, edit, read, say, think, write } from "../../peers/pi/turns.mjs";

const harvestModel = `import { z } from "zod";

export const harvestSchema = z.object({
  treeId: z.string().uuid(),
  pickedOn: z.string().date(),
  kilograms: z.number().positive(),
  note: z.string().max(280).optional(),
});

export type Harvest = z.infer<typeof harvestSchema>;
`;

const routes = `import { Hono } from "hono";
import { listTrees } from "./trees.js";
import { HarvestPage } from "./pages/harvest-page.js";

export const app = new Hono();

app.get("/", (c) => c.html(listTrees()));
app.get("/trees/:treeId/harvest", (c) => c.html(HarvestPage({ treeId: c.req.param("treeId") })));
`;

const formTest = `import { expect, test } from "vitest";
import { app } from "../src/routes.js";

const treeUrl = "/trees/6c1f7a7e-2f0c-4d8e-9a5b-3f1f6f1f0a11/harvest";

function submit(fields: Record<string, string>) {
  return app.request(treeUrl, { method: "POST", body: new URLSearchParams(fields) });
}

test("a harvest is stored and the browser goes back to the tree", async () => {
  const response = await submit({ pickedOn: "2026-09-20", kilograms: "12.5" });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe(treeUrl.replace("/harvest", ""));
});

test("a decimal comma is understood", async () => {
  const response = await submit({ pickedOn: "2026-09-20", kilograms: "12,5" });
  expect(response.status).toBe(303);
});

test("nonsense brings the form back with what was typed", async () => {
  const response = await submit({ pickedOn: "2026-09-20", kilograms: "a lot" });
  expect(response.status).toBe(422);
  expect(await response.text()).toContain('value="a lot"');
});
`;

const postRoute = `
app.post("/trees/:treeId/harvest", async (c) => {
  const treeId = c.req.param("treeId");
  const typed = await c.req.parseBody();
  const parsed = harvestSchema.safeParse({
    treeId,
    pickedOn: typed.pickedOn,
    kilograms: Number(typed.kilograms),
    note: typed.note || undefined,
  });
  if (!parsed.success) return c.html(HarvestPage({ treeId, typed, issues: parsed.error.issues }), 422);
  await saveHarvest(parsed.data);
  return c.redirect(\`/trees/\${treeId}\`, 303);
});
`;

const failed = `
 RUN  v3.2.4

 ✓ test/harvest-form.test.ts > a harvest is stored and the browser goes back to the tree 14ms
 × test/harvest-form.test.ts > a decimal comma is understood 6ms
   → expected 422 to be 303 // Object.is equality
 ✓ test/harvest-form.test.ts > nonsense brings the form back with what was typed 5ms

 Tests  1 failed | 2 passed (3)
`;

const passed = `
 RUN  v3.2.4

 ✓ test/harvest-form.test.ts (3 tests) 22ms
 ✓ test/trees.test.ts (7 tests) 31ms

 Tests  10 passed (10)
`;

export default {
  name: "harvest-form",
  start: "2026-09-21T17:42:10.412Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/orchard",
      files: { "src/harvest.ts": harvestModel, "src/routes.ts": routes },
      model: "anthropic/claude-sonnet-4-6",
      thinkingLevel: "low",
    });

    await pi.ask(
      "I want to log what I pick from each tree: date, kilograms and a short note. The page is there already, but the form goes nowhere. Can you wire it up?",
      [
        [
          think(
            "The page exists; there must be a schema. Look at both before deciding where the POST belongs.",
          ),
          say("I'll look at the routes and at what a harvest looks like so far."),
          read("src/routes.ts"),
          read("src/harvest.ts"),
          bash(
            "ls src src/pages test",
            "src:\nharvest.ts\npages\nroutes.ts\nstore.ts\ntrees.ts\n\nsrc/pages:\nharvest-page.ts\n\ntest:\ntrees.test.ts\n",
          ),
        ],
        "There is a `harvestSchema` but nothing receives the form. My plan:\n\n1. tests first: a good harvest, a decimal comma (you write `12,5`, I suppose), and nonsense\n2. a `POST /trees/:treeId/harvest` that checks with `harvestSchema`, saves, and redirects back to the tree\n3. on a mistake the same page again with status 422, keeping what was typed\n\nShall I go ahead?",
      ],
    );

    await pi.ask("Yes please. And yes, I do write 12,5 :)", [
      [say("Tests first."), write("test/harvest-form.test.ts", formTest)],
      [
        edit(
          "src/routes.ts",
          [
            'import { listTrees } from "./trees.js";',
            'import { harvestSchema } from "./harvest.js";\nimport { saveHarvest } from "./store.js";\nimport { listTrees } from "./trees.js";',
          ],
          [
            'HarvestPage({ treeId: c.req.param("treeId") })));\n',
            `HarvestPage({ treeId: c.req.param("treeId") })));\n${postRoute}`,
          ],
        ),
      ],
      [bash("npx vitest run", failed, { exitCode: 1, seconds: 4 })],
      [
        think(
          'Number("12,5") is NaN. Replace the comma before converting, but only a single one: "1,234,5" must stay wrong.',
        ),
        say(
          'Only the comma is left: `Number("12,5")` is `NaN`. I\'ll turn one decimal comma into a point, in a function of its own.',
        ),
        edit("src/harvest.ts", [
          "export type Harvest",
          '/** Understands 12.5 and 12,5; anything else becomes NaN and fails the schema. */\nexport function parseKilograms(typed: string): number {\n  return Number(typed.trim().replace(/^(\\d+),(\\d+)$/, "$1.$2"));\n}\n\nexport type Harvest',
        ]),
        edit(
          "src/routes.ts",
          ["kilograms: Number(typed.kilograms)", "kilograms: parseKilograms(String(typed.kilograms))"],
          ["import { harvestSchema }", "import { harvestSchema, parseKilograms }"],
        ),
      ],
      [bash("npx vitest run", passed, { seconds: 4 })],
      "All ten tests pass. `POST /trees/:treeId/harvest` stores the harvest and sends the browser back to the tree; mistakes bring the form back with what was typed. `parseKilograms` in `src/harvest.ts` takes both `12.5` and `12,5`.",
    ]);
    pi.label("form works");
    pi.name("Harvest form");

    await pi.shell(
      "git commit -qam 'Log harvests per tree' && git log --oneline -1",
      "4be1c09 Log harvests per tree\n",
    );

    await pi.ask("Lovely. One question: why 303 and not 302?", [
      "Because of what the browser does next. After a `303 See Other` it always follows with a GET, so reloading the tree page cannot send the harvest a second time. A `302` leaves that open: every browser turns it into a GET today, but the standard only says so for 303.",
    ]);
    pi.end();
    return { file: pi.file };
  },
};
