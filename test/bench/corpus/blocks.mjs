/** @typedef {import("./ledger.mjs").Kind} Kind */
/** @typedef {import("./lines.mjs").Pen} Pen */
/** @typedef {import("./texts.mjs").Language} Language */
/** @typedef {{ id: string, name: string, length: number }} ToolUse a tool call and how long its argument is */

const PNG_START = "iVBORw0KGgoAAAANSUhEUgAA";

/** The blocks of a message, each with the comma that separates it from the next, and entered in the ledger. */
export class Blocks {
  #pen;
  #language;

  /**
   * @param {Pen} pen
   * @param {Language} language
   */
  constructor(pen, language) {
    this.#pen = pen;
    this.#language = language;
  }

  /**
   * @param {string} key
   * @param {number} length
   */
  short(key, length) {
    this.#raw(`"${key}":"`);
    this.kind("text", () => this.#pen.texts.prose(length, this.#language));
    this.#raw('"');
  }

  /** @param {number} length */
  text(length) {
    this.#raw('{"type":"text","text":"');
    this.kind("text", () => this.#pen.texts.prose(length, this.#language));
    this.#raw('"},');
  }

  /**
   * @param {number} length
   * @param {number} signature
   */
  thinking(length, signature) {
    this.#raw('{"type":"thinking","thinking":"');
    this.kind("text", () => this.#pen.texts.prose(length, "en"));
    this.#raw('","thinkingSignature":"');
    this.kind("signature", () => this.#pen.texts.noise(signature));
    this.#raw('"},');
  }

  /** @param {ToolUse} call */
  toolCall({ id, name, length }) {
    const { random, texts } = this.#pen;
    const path = texts.vocabulary.paths.string(random);
    const key = { bash: "command", grep: "pattern", read: "limit" }[name] ?? "content";
    this.#raw(`{"type":"toolCall","id":"${id}","name":"${name}","arguments":{"path":"`);
    this.kind("text", () => this.#raw(path));
    this.#raw(`","${key}":"`);
    this.kind("text", () => texts.code(length));
    this.#raw('"}},');
  }

  /** @param {number} length */
  image(length) {
    this.#raw(',{"type":"image","data":"');
    this.kind("image", () => {
      this.#raw(PNG_START);
      this.#pen.texts.noise(length - PNG_START.length);
    });
    this.#raw('","mimeType":"image/png"}');
  }

  /**
   * Enters what `write` writes into the ledger.
   * @param {Kind} kind
   * @param {() => void} write
   */
  kind(kind, write) {
    const before = this.#pen.out.total;
    write();
    this.#pen.ledger.written[kind] += this.#pen.out.total - before;
  }

  /** @param {string} text */
  #raw(text) {
    this.#pen.out.text(text);
  }
}
