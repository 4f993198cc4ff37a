import { formatDelimited } from "../../text/csv.ts";
import { sayWrong } from "./said.ts";
import { request } from "./server.ts";

/** Stores something as a file: the answers need a token, so that no link can name them. */
function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has begun to store it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveCsv(
  name: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): void {
  const lines = [...formatDelimited(columns, rows, { delimiter: ",", raw: false })];
  saveFile(name, new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
}

/** Stores an answer as a file, or says why not. */
export async function saveAnswer(name: string, path: string): Promise<void> {
  try {
    saveFile(name, await (await request(path)).blob());
  } catch (error) {
    sayWrong(`${name} was not saved`, error);
  }
}

export function saveJson(name: string, value: unknown): void {
  saveFile(name, new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: "application/json" }));
}
