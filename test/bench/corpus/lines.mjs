import { Blocks } from "./blocks.mjs";
import { MODELS, usageOf } from "./models.mjs";

/** @typedef {import("./blocks.mjs").ToolUse} ToolUse */
/** @typedef {import("./ledger.mjs").Ledger} Ledger */
/** @typedef {import("./out.mjs").Out} Out */
/** @typedef {import("./random.mjs").Random} Random */
/** @typedef {import("./texts.mjs").Texts} Texts */
/** @typedef {import("./texts.mjs").Language} Language */
/** @typedef {{ out: Out, random: Random, texts: Texts, ledger: Ledger }} Pen what every session is written with */

/** Multiplying by an odd number visits every 32-bit number once: ids of one session never collide. */
const ID_STEP = 0x9e3779b1;

/** Writes the lines of one session file: each kind of entry has a method. The order is decided in `session.mjs`. */
export class Lines {
  /** The newest entry, the next one's parent. @type {string | null} */
  leaf = null;
  /** @type {string[]} the ids of entries that began a turn */
  turns = [];
  entries = 0;
  /** How many tokens the model would see. */
  context = 6000;
  model = /** @type {(typeof MODELS)[number]} */ (MODELS[0]);
  #id;
  #blocks;

  /**
   * @param {Pen} pen
   * @param {number} time Unix ms of the header
   * @param {Language} language
   */
  constructor(pen, time, language) {
    this.pen = pen;
    this.time = time;
    this.#blocks = new Blocks(pen, language);
    this.language = language;
    this.#id = pen.random.next();
  }

  /** @param {{ id: string, cwd: string, parentSession?: string | undefined }} fields */
  header({ id, cwd, parentSession }) {
    const header = {
      type: "session",
      version: 3,
      id,
      timestamp: new Date(this.time).toISOString(),
      cwd,
      parentSession,
    };
    this.pen.out.text(JSON.stringify(header));
    this.pen.out.endLine();
  }

  /** @param {number} length */
  user(length) {
    const { random } = this.pen;
    this.#entry("message", () => {
      this.#raw('"message":{"role":"user","content":[{"type":"text","text":"');
      this.#blocks.kind("text", () => this.pen.texts.prose(length, this.language));
      if (random.chance(0.12)) this.#blocks.kind("text", () => this.pen.texts.output(2 * length));
      this.#raw(`"}],"timestamp":${this.time}}`);
    });
    if (this.leaf !== null) this.turns.push(this.leaf);
    this.context += length >> 2;
  }

  /**
   * @param {{ thinking: number, signature: number, text: number, call?: ToolUse }} lengths
   */
  assistant({ thinking, signature, text, call }) {
    const { api, provider, model } = this.model;
    const output = 20 + ((thinking + text + (call?.length ?? 0)) >> 2);
    this.#entry("message", () => {
      this.#raw('"message":{"role":"assistant","content":[');
      if (thinking > 0) this.#blocks.thinking(thinking, signature);
      if (text > 0) this.#blocks.text(text);
      if (call) this.#blocks.toolCall(call);
      this.pen.out.at -= 1; // the last block's comma
      const usage = this.#usage(output);
      const ending = {
        api,
        provider,
        model,
        usage,
        stopReason: call ? "toolUse" : "stop",
        timestamp: this.time,
      };
      this.#raw(`],${JSON.stringify(ending).slice(1)}`);
    });
    this.context += output;
  }

  /**
   * @param {ToolUse} call
   * @param {{ output: number, image: number, details: number, isError: boolean }} parts lengths
   */
  toolResult(call, { output, image, details, isError }) {
    const { texts } = this.pen;
    this.#entry("message", () => {
      this.#raw(`"message":{"role":"toolResult","toolCallId":"${call.id}","toolName":"${call.name}",`);
      this.#raw('"content":[{"type":"text","text":"');
      this.#blocks.kind("text", () => (call.name === "read" ? texts.code(output) : texts.output(output)));
      this.#raw('"}');
      if (image > 0) this.#blocks.image(image);
      this.#raw("]");
      if (details > 0) {
        this.#raw(',"details":{"diff":"');
        texts.output(details);
        this.#raw('"}');
      }
      this.#raw(`,"isError":${isError},"timestamp":${this.time}}`);
    });
    this.context += output >> 2;
  }

  /** @param {string} firstKeptEntryId */
  compaction(firstKeptEntryId) {
    const tokensBefore = Math.round(this.context);
    this.#entry("compaction", () => {
      this.#raw('"summary":"');
      this.#blocks.kind("text", () => this.pen.texts.prose(4000, "en"));
      this.context = 20_000;
      const usage = this.#usage(1000);
      this.#raw(`",${JSON.stringify({ firstKeptEntryId, tokensBefore, usage }).slice(1, -1)}`);
    });
  }

  /** @param {string} fromId */
  branchSummary(fromId) {
    this.#entry("branch_summary", () => {
      this.#raw(`"fromId":"${fromId}","summary":"`);
      this.#blocks.kind("text", () => this.pen.texts.prose(800, "en"));
      this.#raw('"');
    });
  }

  /** The session's name. */
  name() {
    this.#entry("session_info", () => this.#blocks.short("name", 40));
  }

  /** @param {string} targetId */
  label(targetId) {
    this.#entry("label", () => {
      this.#raw(`"targetId":"${targetId}",`);
      this.#blocks.short("label", 12);
    });
  }

  /** @param {(typeof MODELS)[number]} model */
  modelChange(model) {
    this.model = model;
    this.#entry("model_change", () => this.#raw(`"provider":"${model.provider}","modelId":"${model.model}"`));
  }

  /** A cheap model's work beside the conversation. */
  cacheWarming() {
    const { provider, model } = this.model;
    const fields = { kind: "cache_warm", provider, model, usage: this.#usage(1) };
    this.#entry("usage", () => this.#raw(JSON.stringify(fields).slice(1, -1)));
  }

  /** An extension's state. */
  state() {
    this.#entry("custom", () => this.#raw(`"customType":"todo","data":{"open":${this.pen.random.below(9)}}`));
  }

  /**
   * @param {string} type
   * @param {() => void} writeFields
   */
  #entry(type, writeFields) {
    const { out, ledger, random } = this.pen;
    this.time += 500 + random.length(20_000);
    this.#id = (this.#id + ID_STEP) >>> 0;
    const id = this.#id.toString(16).padStart(8, "0");
    const base = { type, id, parentId: this.leaf, timestamp: new Date(this.time).toISOString() };
    const before = out.total;
    const told = ledger.written.text + ledger.written.image + ledger.written.signature;
    this.#raw(`${JSON.stringify(base).slice(0, -1)},`);
    writeFields();
    this.#raw("}");
    out.endLine();
    const kinds = ledger.written.text + ledger.written.image + ledger.written.signature - told;
    ledger.written.other += out.total - before - kinds;
    ledger.lines += 1;
    this.entries += 1;
    this.leaf = id;
  }

  /** @param {number} output */
  #usage(output) {
    const fresh = 3 + this.pen.random.below(1500);
    const cached = Math.min(190_000, Math.round(this.context));
    return usageOf([fresh, output, cached, this.model.price[3] ? fresh * 2 : 0], this.model.price);
  }

  /** @param {string} text */
  #raw(text) {
    this.pen.out.text(text);
  }
}
