import { Lines } from "./lines.mjs";
import { MODELS } from "./models.mjs";

/** @typedef {import("./lines.mjs").Pen} Pen */
/** @typedef {import("./texts.mjs").Language} Language */

/** A session is compacted when the model would see so many tokens. */
const CONTEXT_LIMIT = 170_000;
/** The usual length of a header. The real one depends on the folder's name, which must change nothing else. */
const HEADER = 170;
/** Mean lengths in bytes, as found in real sessions; the ledger stretches outputs and signatures. */
const MEAN = {
  question: 350,
  answer: 700,
  aside: 160,
  thinking: 250,
  signature: 920,
  call: 240,
  output: 2300,
};
const TOOLS = ["bash", "bash", "bash", "read", "read", "edit", "edit", "write", "grep"];

/**
 * The plan of a session.
 * @typedef {object} Plan
 * @property {string} id
 * @property {string} cwd
 * @property {number} time Unix ms
 * @property {number} bytes about how long the file is to be, a header of usual length included
 * @property {number} [entries] exactly how many entries instead
 * @property {number} [compactAfter] compact once, after so many entries, and never otherwise
 * @property {Copied} [copied] for a fork
 *
 * The beginning of another session.
 * @typedef {object} Copied
 * @property {string} path
 * @property {Uint8Array} lines whole lines without the header
 * @property {string} leaf the id of the last of them
 */

/** One conversation: questions, tool rounds and answers until the file is as long as planned. */
export class Conversation {
  #lines;
  #pen;
  #plan;
  #rounds = 0;
  #toolCalls = 0;
  #compacted = false;
  #headerBytes = 0;

  /**
   * @param {Pen} pen
   * @param {Plan} plan
   */
  constructor(pen, plan) {
    const { random } = pen;
    const draw = random.unit();
    /** @type {Language} */
    const language = draw < 0.04 ? "zh" : draw < 0.07 ? "ja" : "en";
    this.#pen = pen;
    this.#plan = plan;
    this.#lines = new Lines(pen, plan.time, language);
    this.#lines.model = random.pick(MODELS);
  }

  /** Writes the session. Returns the time of the last entry, and the length in the sense of `Plan`. */
  write() {
    const { id, cwd, copied } = this.#plan;
    this.#lines.header({ id, cwd, parentSession: copied?.path });
    this.#headerBytes = this.#pen.out.total;
    if (copied) {
      this.#pen.out.copy(copied.lines);
      this.#lines.leaf = copied.leaf;
      // At least one entry of its own, however much was copied.
      this.#lines.user(MEAN.question);
    }
    while (!this.#isDone()) this.#turn();
    return { time: this.#lines.time, bytes: this.#length() };
  }

  #length() {
    return HEADER + this.#pen.out.total - this.#headerBytes;
  }

  #turn() {
    const { random } = this.#pen;
    this.#betweenTurns();
    if (this.#isDone()) return;
    this.#lines.user(this.#upTo(20 + random.length(MEAN.question)));
    this.#rounds = random.below(13);
    while (this.#rounds-- > 0 && !this.#isDone()) this.#toolRound();
    if (this.#isDone()) return;
    this.#lines.assistant({ ...this.#thought(), text: this.#upTo(30 + random.length(MEAN.answer)) });
  }

  #toolRound() {
    const { random } = this.#pen;
    const name = random.pick(TOOLS);
    const long = name === "write" || name === "edit" ? 4 : 1;
    const length = this.#upTo(10 + random.length(MEAN.call * long));
    const call = { id: `toolu_${random.hex(8)}${random.hex(8)}${this.#toolCalls++}`, name, length };
    const text = random.chance(0.4) ? this.#upTo(random.length(MEAN.aside)) : 0;
    this.#lines.assistant({ ...this.#thought(), text, call });
    this.#maybeCompact();
    if (!this.#isDone()) this.#result(call);
  }

  /** @param {import("./lines.mjs").ToolUse} call */
  #result(call) {
    const { random, ledger } = this.#pen;
    const stretched = random.length(MEAN.output * this.#scale() * ledger.factor("text"), 1.2);
    const output = this.#upTo(Math.min(50_000, 10 + stretched));
    const size = Math.round(Math.min(random.length(60_000), this.#plan.bytes * 0.15));
    const image = call.name === "read" && size > 500 && ledger.lacking("image") > size ? size : 0;
    const changes = call.name === "edit" || call.name === "write";
    const details = changes ? this.#upTo(Math.max(0, Math.min(12_000, ledger.lacking("other")))) : 0;
    this.#lines.toolResult(call, { output, image, details, isError: random.chance(0.06) });
    this.#maybeCompact();
  }

  /** Writes entries that belong to the session rather than to the talk: names, labels, branches, other models. */
  #betweenTurns() {
    const { random } = this.#pen;
    const lines = this.#lines;
    if (lines.entries === 0 || this.#isDone(8)) return;
    if (lines.turns.length === 1 && random.chance(0.2)) lines.name();
    if (random.chance(0.02)) lines.modelChange(random.pick(MODELS));
    if (random.chance(0.02)) lines.label(random.pick(lines.turns));
    if (random.chance(0.02)) lines.cacheWarming();
    if (random.chance(0.02)) lines.state();
    if (this.#plan.compactAfter === undefined && lines.turns.length > 2 && random.chance(0.015))
      this.#branch();
  }

  #branch() {
    const lines = this.#lines;
    const abandoned = lines.leaf ?? "";
    lines.leaf = this.#pen.random.pick(lines.turns);
    if (this.#pen.random.chance(0.5)) lines.branchSummary(abandoned);
  }

  #maybeCompact() {
    const { entries, context, turns } = this.#lines;
    const { compactAfter } = this.#plan;
    const due =
      compactAfter === undefined ? context > CONTEXT_LIMIT : entries >= compactAfter && !this.#compacted;
    const kept = turns.at(-1);
    if (!due || kept === undefined || this.#isDone()) return;
    this.#lines.compaction(kept);
    this.#compacted = true;
  }

  #thought() {
    const { random, ledger } = this.#pen;
    if (!random.chance(0.6)) return { thinking: 0, signature: 0 };
    const thinking = this.#upTo(40 + random.length(MEAN.thinking));
    const signature = 80 + random.length(MEAN.signature * this.#scale() * ledger.factor("signature"), 0.5);
    return { thinking, signature: this.#upTo(signature) };
  }

  /** A factor for the means: the lines of some corpora are longer than those from which the means were taken. */
  #scale() {
    return this.#pen.ledger.bytesPerLine / 2300;
  }

  /** Whether so many further entries would be too many. */
  #isDone(more = 0) {
    const { bytes, entries } = this.#plan;
    // Half a short line less, because the last line goes beyond the planned end.
    return entries === undefined ? this.#length() > bytes - 400 : this.#lines.entries + more >= entries;
  }

  /**
   * A length cut to what is left of the file.
   * @param {number} length
   */
  #upTo(length) {
    const left = this.#plan.entries === undefined ? this.#plan.bytes - this.#length() : length;
    return Math.max(20, Math.min(length, left));
  }
}
