import { type ChildProcess, spawn } from "node:child_process";
import { Readable } from "node:stream";
import { SessionDbError } from "../../errors.ts";
import type { ErrorBody, ExportAsked, Exportation } from "../../serve/page-routes.ts";
import type { Turns } from "../../serve/turns.ts";
import { mainProgram } from "../place-options.ts";
import { errorIn } from "../terminal/collected.ts";
import type { AnswerOrders } from "./answer-orders.ts";

const TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
  jsonl: "application/jsonl",
};

/**
 * The command that exports, in a process of its own: the largest pages are a hundred megabytes, and nobody waits twice.
 *
 * @throws SessionDbError `usage`; `busy` where too many wait for their turn
 */
export async function exported(
  query: [string, string][],
  { orders, turns }: { orders: AnswerOrders; turns: Turns },
  { signal, breakOff }: ExportAsked,
): Promise<Exportation | ErrorBody> {
  const { session = "", format = "html", branch, ...more } = Object.fromEntries(query);
  const type = TYPES[format];
  const [other] = Object.keys(more);
  // No argument of a process holds a NUL.
  const isPassed = !`${session}${branch ?? ""}`.includes("\0");
  if (type === undefined || other !== undefined || session === "" || !isPassed) {
    throw new SessionDbError("usage", "an export is asked for with session, format and branch");
  }
  const endTurn = await turns.take(signal);
  try {
    const child = exporting(orders, { session, format, branch }, signal).once("exit", endTurn);
    const pieces = await piecesOf(child, breakOff);
    return "code" in pieces ? pieces : { type, pieces };
  } catch (error) {
    endTurn();
    throw error;
  }
}

interface Wanted {
  session: string;
  format: string;
  branch: string | undefined;
}

function exporting(
  orders: AnswerOrders,
  { session, format, branch }: Wanted,
  signal: AbortSignal,
): ChildProcess {
  return spawn(
    process.execPath,
    [
      mainProgram(),
      ...orders.places,
      "export",
      "--no-sync",
      `--format=${format}`,
      ...(branch === undefined ? [] : [`--branch=${branch}`]),
      ...(orders.reveal ? ["--reveal"] : []),
      "--json",
      "--",
      session,
    ],
    { stdio: ["ignore", "pipe", "pipe"], signal, killSignal: "SIGKILL" },
  );
}

/**
 * What a process writes; its first bytes come only where nothing went wrong. Else what it has said was wrong. Where it fails
 * later, the answer breaks off: half a file must not look like a whole one.
 */
async function piecesOf(
  child: ChildProcess,
  breakOff: () => void,
): Promise<ReadableStream<Uint8Array> | ErrorBody> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("a process without pipes");
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  // It comes at the end of nothing, too.
  const hasBegun = new Promise<boolean>((resolve) => {
    stdout.once("readable", () => stdout.readableLength > 0 && resolve(true));
  });
  const isWell = await Promise.race([hasBegun, code.then((number) => number === 0)]);
  if (!isWell) return errorIn(said);
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield* stdout;
    if ((await code.catch(() => null)) !== 0) breakOff();
  };
  return Readable.toWeb(Readable.from(whole(), { objectMode: false })) as ReadableStream<Uint8Array>;
}
