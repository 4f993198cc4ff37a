import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { moduleBeside } from "../../file/module-beside.ts";
import { Thread } from "../../thread.ts";
import type { PlacedDigest } from "./digest-columns.ts";
import { DigestUnpacker } from "./digest-unpacker.ts";
import { PathList } from "./path-list.ts";
import type { AheadStep, StepsAhead } from "./read-ahead-step.ts";
import { type AheadBatch, type AheadOrder, Meeting, type SentStep } from "./read-ahead-talk.ts";

/** How long to wait for the thread before it is given up: a step of it takes a twentieth of a second. */
const PATIENCE_MS = 2000;

/**
 * Memory for the thread's objects, in MB. Lines that are skimmed leave few, and most of them are short-lived: with more
 * room for young ones than this it is no faster.
 */
const MEMORY = { maxYoungGenerationSizeMb: 8 };

/**
 * New files, read and parsed by a thread of its own before their turn comes, because that takes half of what rows cost.
 * Whoever takes a step has to prove that the file still is what was read. Whatever goes wrong in the thread costs only
 * time: a file of which no step was read ahead is read in its turn.
 */
export class ReadAhead implements StepsAhead {
  /** Resolves when there is no thread any more. */
  readonly ended: Promise<void>;
  readonly #files: ReadonlyMap<string, number>;
  readonly #meeting = new Meeting();
  readonly #port: MessagePort;
  #steps: SentStep[] = [];
  #digests: DigestUnpacker | null = null;

  /** `realPaths` in the order of their turns. */
  constructor(realPaths: readonly string[]) {
    this.#files = new Map(realPaths.map((path, index) => [path, index]));
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const files = PathList.of(realPaths).shared;
    const orders: AheadOrder = { files, port: port2, shared: this.#meeting.shared };
    const module = moduleBeside("./read-ahead-worker", import.meta.url);
    // The thread ran out of memory, or could not be started: then everything is read in its turn, as without it.
    const fail = (): void => this.close();
    const thread = new Thread({ module, orders, ports: [port2], limits: MEMORY, fail });
    thread.unref();
    this.ended = thread.ended;
  }

  /** Batches that wait to be taken. */
  get waiting(): number {
    return this.#meeting.waiting;
  }

  /** Waits for the step while it may still come. */
  take(realPath: string, from: number): AheadStep | null {
    const file = this.#files.get(realPath);
    if (file === undefined) return null;
    this.#meeting.turn = file;
    for (let next = this.#peek(); next !== undefined && next.file <= file; next = this.#peek()) {
      this.#steps.shift();
      const entries = this.#unpack(next.entryCount);
      if (next.file === file && next.before.length === from) return { ...next, entries };
    }
    return null;
  }

  /** Ends the thread at its next step. */
  close(): void {
    this.#meeting.end();
    this.#port.close();
    this.#steps = [];
  }

  #peek(): SentStep | undefined {
    if (this.#steps.length === 0) this.#receive();
    return this.#steps[0];
  }

  /** Waits for the next batch, but not for the first: until that is there, it is quicker to read here. */
  #receive(): void {
    for (;;) {
      const { sent, isOver } = this.#meeting;
      const received = receiveMessageOnPort(this.#port) as { message: AheadBatch } | undefined;
      if (received !== undefined) {
        this.#meeting.noteTaken();
        this.#steps = received.message.steps;
        this.#digests = new DigestUnpacker(received.message.columns);
        return;
      }
      if (isOver || sent === 0) return;
      if (!this.#meeting.awaitSent(sent, PATIENCE_MS)) this.close();
    }
  }

  #unpack(count: number): PlacedDigest[] {
    const entries: PlacedDigest[] = [];
    for (let entry = 0; entry < count && this.#digests !== null; entry++) entries.push(this.#digests.next());
    return entries;
  }
}
