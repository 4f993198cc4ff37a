import { MessageChannel, type MessagePort, type ResourceLimits, Worker } from "node:worker_threads";
import { codeOf } from "./errors.ts";

/** What a thread does, until it closes its end of the port and waits for nothing else. */
export type Serve<Orders> = (port: MessagePort, orders: Orders) => void;

export interface ThreadOptions<Orders, Answer> {
  /** What it loads; its `serve` is called. */
  module: URL;
  /** What it begins with. */
  orders: Orders;
  /** Ports among the orders: they are handed over. */
  ports?: MessagePort[];
  /** Memory for its objects. */
  limits?: ResourceLimits;
  hear?: (answer: Answer) => void;
  /** Called with the error when the thread dies or cannot be started. */
  fail: (error: unknown) => void;
  /** Imports the same module into this thread, to do the work here when the system refuses another thread. */
  here?: () => Promise<{ serve: Serve<Orders> }>;
}

/** What takes the questions: the thread, or the port of the module that runs in this one. */
type Told<Question> = { postMessage(question: Question): void; unref(): void };

/**
 * A thread of ours. It is never terminated from outside, but told to end.
 *
 * If the system refuses another thread, the module runs in this one, `here`: it is talked to through a `MessageChannel`
 * and shares the event loop. Without `here`, `fail` is called. Only what had not begun is moved here: no work is done
 * twice.
 */
export class Thread<Orders, Question = never, Answer = never> {
  /** Resolves when it has ended, or could not be started. */
  readonly ended: Promise<void>;
  readonly #options: ThreadOptions<Orders, Answer>;
  #told: Told<Question> | null = null;
  /** The questions so far, until the thread is known to have begun; then null. */
  #early: Question[] | null = [];
  #end: () => void = () => undefined;

  constructor(options: ThreadOptions<Orders, Answer>) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    try {
      this.#start();
    } catch (error) {
      if (!cannotStart(error)) throw error;
      this.#doWithout(error);
    }
  }

  tell(question: Question): void {
    this.#early?.push(question);
    this.#told?.postMessage(question);
  }

  /** From now on the thread alone does not keep the process from ending. */
  unref(): void {
    this.#told?.unref();
  }

  #start(): void {
    const { module, orders, ports = [], limits = {}, hear, fail } = this.#options;
    const workerData: Begun<Orders> = { module: module.href, orders };
    const worker = new Worker(SCRIPT, {
      eval: true,
      workerData,
      transferList: ports,
      resourceLimits: limits,
    });
    this.#told = worker;
    let refusal: unknown;
    worker.on("online", () => {
      this.#early = null;
    });
    worker.on("message", (answer: Answer) => hear?.(answer));
    worker.on("error", (error: unknown) => {
      if (this.#early !== null && cannotStart(error)) refusal = error;
      else fail(error);
    });
    worker.on("exit", () => {
      if (refusal === undefined) this.#end();
      else this.#doWithout(refusal);
    });
  }

  #doWithout(refusal: unknown): void {
    const { orders, hear, fail, here } = this.#options;
    this.#told = null;
    if (here === undefined) {
      fail(refusal);
      this.#end();
      return;
    }
    const { port1: asking, port2: serving } = new MessageChannel();
    asking.on("message", (answer: Answer) => hear?.(answer));
    asking.on("close", this.#end);
    this.#told = asking;
    for (const question of this.#early ?? []) asking.postMessage(question);
    here()
      .then(({ serve }) => serve(serving, orders))
      .catch((error: unknown) => {
        fail(error);
        serving.close();
      });
  }
}

/** What is handed to `SCRIPT`. */
interface Begun<Orders> {
  module: string;
  orders: Orders;
}

/**
 * Loads the module. A thread has the options of its process: after `node --input-type=module -e` it would refuse to begin
 * with a file. Options of its own would have to name all others again, or it would be without the limits of `--permission`.
 */
const SCRIPT = `import("node:worker_threads").then(async ({ parentPort, workerData: { module, orders } }) => {
  const { serve } = await import(module);
  serve(parentPort, orders);
});`;

/** The system has none to give (`EAGAIN`), or no descriptors or memory for one. */
const NONE_LEFT = /^ERR_WORKER_(INIT_FAILED|OUT_OF_MEMORY)$/;

/**
 * Whether an error says that no further thread can be started, when it comes before the thread has begun. It is thrown
 * where the system refuses it and where `--permission` came without `--allow-worker`; what a thread misses on its way up
 * comes as an event. See https://nodejs.org/api/errors.html and `Worker::StartThread` in Node's src/node_worker.cc.
 */
function cannotStart(error: unknown): boolean {
  const code = codeOf(error);
  return NONE_LEFT.test(code) || (code === "ERR_ACCESS_DENIED" && permissionOf(error) === "WorkerThreads");
}

/** What Node would have had to be allowed. */
function permissionOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "permission" in error ? error.permission : undefined;
}
