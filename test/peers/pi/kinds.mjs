// The kinds of session pi-writer.mjs makes. Each takes the world and { cwd, marker, exchanges, written } and returns the
// conversation, still open. `written` are the sessions before: [{ file, ... }].
import { createChatter } from "./chatter.mjs";
import { bash, edit, interrupted, read, refuse, say, think, write } from "./turns.mjs";

const SETTINGS = "export const limit = 10;\nexport const folder = 'data';\n";

export const KINDS = {
  async plain(world, task) {
    return chat(await begin(world, task), world, task);
  },

  async tools(world, task) {
    const pi = await chat(await begin(world, task), world, task);
    const { sentence, number } = createChatter(world.chance);
    await pi.ask(`Change the limit. ${sentence()}`, [
      [think(sentence()), say(sentence()), read("src/settings.ts"), bash("ls src", "settings.ts\n")],
      [
        edit("src/settings.ts", ["limit = 10", `limit = ${number()}`]),
        edit("src/settings.ts", ["not there", "x"]),
      ],
      [
        write(`docs/note-${number()}.md`, `# Note\n\n${sentence()}\n`),
        bash("npm test", "1 failed\n", { exitCode: 1 }),
      ],
      sentence(),
    ]);
    await pi.shell("git status --short", " M src/settings.ts\n");
    return pi;
  },

  async branches(world, task) {
    const pi = await chat(await begin(world, task), world, task);
    const { sentence } = createChatter(world.chance);
    const crossroads = pi.leaf;
    await pi.ask(`One way. ${sentence()}`, [sentence()]);
    await pi.goTo(crossroads, { summary: `Tried one way. ${sentence()}`, label: "one way" });
    await pi.ask(`Another way. ${sentence()}`, [[say(sentence()), bash("make", "done\n")], sentence()]);
    await pi.goTo(crossroads);
    await pi.ask(`A third way. ${sentence()}`, [sentence()]);
    return pi;
  },

  async labels(world, task) {
    const pi = await chat(await begin(world, task), world, task);
    const answer = pi.leaf;
    pi.label(`kept-${task.marker}`);
    const question = pi.manager.getEntry(answer).parentId;
    pi.label("soon removed", question);
    pi.label("", question);
    pi.name(`Named ${task.marker}`);
    await pi.customMessage("note", `Noted ${task.marker}`, { of: task.marker });
    pi.customEntry("note-state", { notes: 1 });
    return pi;
  },

  async compaction(world, task) {
    const pi = await chat(await begin(world, task), world, { ...task, exchanges: task.exchanges + 2 });
    const { sentence } = createChatter(world.chance);
    await pi.compact(`## Goal\n${sentence()}`);
    await pi.ask(sentence(), [sentence()]);
    return pi;
  },

  async troubles(world, task) {
    const pi = await chat(await begin(world, task), world, task);
    const { sentence, paragraph } = createChatter(world.chance);
    await pi.ask(sentence(), [refuse("529 overloaded_error: Overloaded"), sentence()]);
    await pi.ask(sentence(), [interrupted([say(paragraph(12))], 300)]);
    await pi.ask(sentence(), [refuse("400 invalid_request_error: prompt is too odd")]);
    await pi.use("openai/gpt-5.4-mini");
    await pi.ask(sentence(), [sentence()]);
    return pi;
  },

  async fork(world, task) {
    const source = pick(world, task.written);
    if (!source) return KINDS.plain(world, task);
    return chat(await world.fork(source.file, { cwd: task.cwd, model: anyModel(world) }), world, task);
  },

  async branchOff(world, task) {
    const source = pick(world, task.written);
    if (!source) return KINDS.plain(world, task);
    const parent = await world.resume(source.file, { model: anyModel(world) });
    const messages = parent.manager.getBranch().filter((entry) => entry.type === "message");
    parent.end();
    const at = messages[Math.floor(messages.length / 2)];
    return chat(await world.branchOff(source.file, at.id, { model: anyModel(world) }), world, task);
  },
};

function begin(world, { cwd }) {
  const files = { "src/settings.ts": SETTINGS };
  return world.begin({ cwd, files, model: anyModel(world), thinkingLevel: "low", keepRecentTokens: 60 });
}

/** The first message holds the marker. */
async function chat(pi, world, { marker, exchanges }) {
  const { sentence, paragraph } = createChatter(world.chance);
  for (let i = 0; i < exchanges; i++) {
    const question = i === 0 ? `${sentence()} ${marker}` : sentence();
    await pi.ask(question, [i % 2 === 0 ? paragraph(3) : [think(sentence()), say(paragraph(2))]]);
  }
  return pi;
}

function anyModel(world) {
  return pick(world, [
    "anthropic/claude-sonnet-4-6",
    "anthropic/claude-opus-4-7",
    "openai/gpt-5.5",
    "google/gemini-3.1-pro-preview",
    "deepseek/deepseek-v4-pro",
  ]);
}

function pick(world, list) {
  return list[Math.floor(world.chance() * list.length)];
}
