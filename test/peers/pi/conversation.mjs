// One session as a person and a model write it: every method does through pi's AgentSession what the user did.
import { fauxAssistantMessage, fauxToolCall } from "@mariozechner/pi-ai";
import { say } from "./turns.mjs";

const CHARACTERS_PER_SECOND = 260;

export class Conversation {
  #session;
  #world;
  #workspace;

  /** @param world clock, chance and providers (see world.mjs) */
  constructor(session, workspace, world) {
    this.#session = session;
    this.#workspace = workspace;
    this.#world = world;
  }

  get manager() {
    return this.#session.sessionManager;
  }

  get file() {
    return this.manager.getSessionFile();
  }

  /** The id of the last entry on the branch. */
  get leaf() {
    return this.manager.getLeafId();
  }

  /** The user writes `text`; the model answers with `turns`, one for each request. */
  async ask(text, turns, { images = [], pause = 20 + this.#world.chance() * 160 } = {}) {
    this.#world.clock.advance(pause * 1000);
    const interruption = this.#interruptAt(turns);
    this.#queue(turns);
    await this.#session.prompt(text, { images });
    await interruption.end();
    this.#expectAllUsed(text);
  }

  /** The user runs a command himself (`!command`). */
  async shell(command, output, { exitCode = 0, seconds = 1, excludeFromContext = false } = {}) {
    this.#world.clock.advance(15_000);
    this.#workspace.expectCommand({ command, output, exitCode, seconds });
    await this.#session.executeBash(command, undefined, {
      operations: this.#workspace.bash,
      excludeFromContext,
    });
  }

  name(name) {
    this.#world.clock.advance(4000);
    this.#session.setSessionName(name);
  }

  label(label, entryId = this.leaf) {
    this.#world.clock.advance(3000);
    this.manager.appendLabelChange(entryId, label);
  }

  /** Moves to an entry, to go on from there; a user message goes back to the editor. `summary` is what the model writes about the branch left. */
  async goTo(entryId, { summary, label } = {}) {
    this.#world.clock.advance(25_000);
    if (summary !== undefined) this.#queue([summary]);
    await this.#session.navigateTree(entryId, { summarize: summary !== undefined, ...(label && { label }) });
    this.#expectAllUsed("branch summary");
  }

  /** `summary` is what the model writes; pi asks for two where the cut falls inside a turn. */
  async compact(summary, instructions) {
    this.#world.clock.advance(30_000);
    this.#queue([summary, summary]);
    await this.#session.compact(instructions);
    this.#world.providers.clear();
  }

  async use(modelName) {
    this.#world.clock.advance(8000);
    await this.#session.setModel(this.#world.providers.model(modelName));
  }

  thinkingLevel(level) {
    this.#world.clock.advance(3000);
    this.#session.setThinkingLevel(level);
  }

  /** What an extension adds: a message the model sees, or an entry it does not. */
  async customMessage(customType, content, details) {
    this.#world.clock.advance(500);
    await this.#session.sendCustomMessage({ customType, content, display: true, details });
  }

  customEntry(customType, data) {
    this.#world.clock.advance(500);
    this.manager.appendCustomEntry(customType, data);
  }

  end() {
    this.#session.dispose();
  }

  #queue(turns) {
    const { model } = this.#session;
    this.#world.providers.queue(
      model,
      turns.map((turn) => async () => {
        await this.#world.pace();
        return this.#answer(turn.turn ?? turn);
      }),
    );
  }

  #answer(turn) {
    const timestamp = Date.now();
    if (turn.errorMessage) {
      this.#world.clock.advance(1500);
      return fauxAssistantMessage([], { stopReason: "error", errorMessage: turn.errorMessage, timestamp });
    }
    const blocks = typeof turn === "string" ? [say(turn)] : turn;
    this.#world.clock.advance(1200 + (JSON.stringify(blocks).length / CHARACTERS_PER_SECOND) * 1000);
    const content = blocks.map((block) => this.#block(block));
    const calls = content.some(({ type }) => type === "toolCall");
    return fauxAssistantMessage(content, {
      stopReason: calls ? "toolUse" : "stop",
      responseId: this.#id("resp"),
      timestamp,
    });
  }

  #block(block) {
    if (block.type !== "toolCall") return block;
    if (block.expected) this.#workspace.expectCommand(block.expected);
    return fauxToolCall(block.name, block.arguments, { id: this.#id("call") });
  }

  #id(prefix) {
    const digits = Array.from({ length: 3 }, () => this.#world.chance().toString(36).slice(2, 10));
    return `${prefix}_${digits.join("")}`;
  }

  #interruptAt(turns) {
    const limit = turns.find((turn) => turn.characters !== undefined)?.characters;
    let aborted;
    const stop = this.#session.subscribe((event) => {
      if (limit === undefined || aborted || event.type !== "message_update") return;
      if (JSON.stringify(event.message.content).length >= limit) aborted = this.#session.abort();
    });
    return {
      end: async () => {
        stop();
        await aborted;
      },
    };
  }

  #expectAllUsed(what) {
    const left = this.#world.providers.pending();
    const commands = this.#workspace.unusedCommands();
    if (left > 0 || commands.length > 0) throw new Error(`${what}: ${left} turns and ${commands} left over`);
    const last = this.manager.getLeafEntry()?.message;
    if (last?.errorMessage === "No more faux responses queued") throw new Error(`${what}: one turn too few`);
  }
}
