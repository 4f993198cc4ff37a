import type { MessagePort } from "node:worker_threads";
import { LineReader, STEP_BYTES } from "../../file/lines.ts";
import { useRegularFile } from "../../file/open-file.ts";
import { DigestPacker } from "./digest-packer.ts";
import { PathList } from "./path-list.ts";
import { AheadFile } from "./read-ahead-step.ts";
import { type AheadBatch, type AheadOrder, Meeting, type SentStep } from "./read-ahead-talk.ts";

/** Reads files in the order of their turns and hands over what they say, a batch at a time. */
class AheadReading {
  readonly #order: AheadOrder;
  readonly #meeting: Meeting;
  readonly #reader = new LineReader();
  readonly #packer = new DigestPacker();
  #steps: SentStep[] = [];
  #bytes = 0;

  constructor(order: AheadOrder) {
    this.#order = order;
    this.#meeting = new Meeting(order.shared);
  }

  run(): void {
    try {
      const files = new PathList(this.#order.files);
      for (let file = 0; file < files.length; file++) {
        if (this.#meeting.isOver) return;
        // Where files are not plain the other thread may be ahead of this one: what it has passed is not read here.
        if (file >= this.#meeting.turn) this.#read(file, files.at(file));
      }
      this.#send();
    } finally {
      this.#meeting.end();
    }
  }

  /** A file that cannot be read is left to the thread that writes rows, which reports it. */
  #read(file: number, realPath: string): void {
    useRegularFile(realPath, (fd) => this.#readSteps(file, new AheadFile(fd, this.#reader)));
  }

  #readSteps(file: number, reading: AheadFile): void {
    while (!this.#meeting.isOver) {
      const step = reading.next(this.#packer);
      if (step === null) return;
      this.#steps.push({ ...step, file });
      this.#bytes += step.after.length - step.before.length;
      if (this.#bytes >= STEP_BYTES / 2) this.#send();
      if (step.atEnd) return;
    }
  }

  #send(): void {
    if (this.#steps.length === 0) return;
    this.#meeting.awaitRoom();
    const batch: AheadBatch = { steps: this.#steps, columns: this.#packer.take() };
    this.#order.port.postMessage(batch);
    this.#meeting.noteSent();
    this.#steps = [];
    this.#bytes = 0;
  }
}

export function serve(_port: MessagePort, order: AheadOrder): void {
  new AheadReading(order).run();
}
