import { MessageChannel, type MessagePort, type ResourceLimits, Worker } from "node:worker_threads";
import { codeOf } from "../errors.ts";

/** The work of a thread. It ends when it has closed its end of the port and waits for nothing else. */
export type Serve<Orders> = (port: MessagePort, orders: Orders) => void;

export interface ThreadOptions<Orders, Answer> {
  /** The module that the thread loads; its `serve` is called. */
  module: URL;
  /** What `serve` is given at the beginning. */
  orders: Orders;
  /** The ports among the orders: they are transferred to the thread. */
  ports?: MessagePort[];
  /** Limits on the thread's memory for objects. */
  limits?: ResourceLimits;
  hear?: (answer: Answer) => void;
  /** Called with the error when the thread dies or cannot be started. */
  fail: (error: unknown) => void;
  /** Imports the same module into this thread, to do the work here when the system refuses another thread. */
  here?: () => Promise<{ serve: Serve<Orders> }>;
}

/** Where questions are sent: the thread, or the port of the module that runs in this one. */
type Told<Question> = { postMessage(question: Question): void; unref(): void };

/**
 * A thread of this program. It is never terminated from outside, but told to end.
 *
 * If the system refuses another thread, `here` loads the module into this one: questions reach it through a
 * `MessageChannel`, and it shares the event loop. Without `here`, `fail` is called. Work is moved here only if the
 * thread had not begun: none is done twice.
 *
 * Messages are copied. To transfer an ArrayBuffer costs more: the first time V8 drops all compiled code that reads typed
 * arrays, because none could be transferred until then. That was 130 functions, and a twentieth of a sync of 630 MB.
 */
export class Thread<Orders, Question = never, Answer = never> {
  /** Resolves when the thread has ended, or could not be started. */
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

  /** From now on the thread alone does not keep the process running. */
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

/** The `workerData` of `SCRIPT`. */
interface Begun<Orders> {
  module: string;
  orders: Orders;
}

/**
 * Loads the module. A script, not a file: a thread has the options of its process, and after `node --input-type=module
 * -e` it would refuse to begin with a file. Options of its own would have to repeat all others, or the thread would be
 * without the limits of `--permission`.
 */
const SCRIPT = `import("node:worker_threads").then(async ({ parentPort, workerData: { module, orders } }) => {
  const { serve } = await import(module);
  serve(parentPort, orders);
});`;

/** The system has no more threads (`EAGAIN`), or no descriptors or memory for one. */
const NONE_LEFT = /^ERR_WORKER_(INIT_FAILED|OUT_OF_MEMORY)$/;

/**
 * Whether an error that comes before the thread has begun says that no further thread can be started. It is thrown
 * where the system refuses a thread and where `--permission` came without `--allow-worker`; a thread that lacks
 * something while it starts reports it by an event. See https://nodejs.org/api/errors.html and `Worker::StartThread` in
 * Node's src/node_worker.cc.
 */
function cannotStart(error: unknown): boolean {
  const code = codeOf(error);
  return NONE_LEFT.test(code) || (code === "ERR_ACCESS_DENIED" && permissionOf(error) === "WorkerThreads");
}

/** The permission that Node lacked. */
function permissionOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "permission" in error ? error.permission : undefined;
}
