import type { MessagePort } from "node:worker_threads";
import { answerQuestions } from "../../runtime/question-queue.ts";
import { run } from "../run.ts";
import { Collected } from "../terminal/collected.ts";
import { type ThreadCommand, type ThreadEnd, type ThreadPlace, worldOf } from "../terminal/thread-world.ts";

/** The thread that answers a panel's questions, each by the command that answers it at the command line. */
export function serve(port: MessagePort, place: ThreadPlace): void {
  answerQuestions(port, async ({ argv, columns }: ThreadCommand): Promise<ThreadEnd> => {
    const [out, talk] = [new Collected(), new Collected()];
    const stdout = columns === undefined ? out : Object.assign(out, { isTTY: true, columns });
    const moveToTrash = async (path: string): Promise<void> => {
      const { default: trash } = await import("trash");
      await trash(path, { glob: false });
    };
    const code = await run(argv, { ...worldOf(place, stdout, talk), moveToTrash });
    return { stdout: out.text, stderr: talk.text, code };
  });
}
