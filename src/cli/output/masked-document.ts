import { maskSecrets } from "../../text/secrets.ts";

/** A JSON document without secrets, known by what they look like only: what a report calls a key is no secret. */
export function maskedDocument(json: string): string {
  const mask = (_name: string, value: unknown) => (typeof value === "string" ? maskSecrets(value) : value);
  return JSON.stringify(JSON.parse(json, mask));
}
