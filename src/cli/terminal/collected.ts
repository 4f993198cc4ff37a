import { Writable } from "node:stream";
import type { ErrorBody } from "../../serve/page-routes.ts";
import { maskSecrets } from "../../text/secrets.ts";

/** What a command writes, as one text: where a program asks instead of a terminal. */
export class Collected extends Writable {
  readonly #pieces: Buffer[] = [];

  override _write(piece: Buffer | string, _encoding: string, done: () => void): void {
    this.#pieces.push(Buffer.from(piece));
    done();
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString();
  }
}

/** What was wrong, by what a command that has failed with `--json` says on stderr: sentences for people, then a document. */
export function errorIn(said: string): ErrorBody {
  const line = said.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith('{"error":'))
    return { code: "bug", message: line || "the command has failed", hint: null };
  return (JSON.parse(line) as { error: ErrorBody }).error;
}

/** As `Output.note` begins each. */
export const NOTE = "note: ";

/** What an answer lacks, which a command says beside it. */
export function notesIn(said: string): string[] {
  const lines = said.split("\n").filter((line) => line.startsWith(NOTE));
  return lines.map((line) => line.slice(NOTE.length));
}

/** A JSON document without secrets, known by what they look like only: what a report calls a key is no secret. */
export function maskedDocument(json: string): string {
  const mask = (_name: string, value: unknown) => (typeof value === "string" ? maskSecrets(value) : value);
  return JSON.stringify(JSON.parse(json, mask));
}
