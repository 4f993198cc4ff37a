import { signal } from "@preact/signals";
import { type Query, queryText } from "./route.ts";

/** Asking the server. The token is kept by origin, and sent by hand: nothing goes along by itself. */

const TOKEN = "sessiondb-token";

/** Whether the server knows us; it forgets everybody when it ends. */
export const isLoggedIn = signal(localStorage.getItem(TOKEN) !== null);

export interface Reply<T> {
  body: T;
  /** What the answer lacks, in sentences. */
  notes: readonly string[];
}

interface FailureDetails {
  hint?: string | null;
  choices?: readonly string[];
}

export class Failure extends Error {
  readonly code: string;
  /** What the reader can do about it, as a sentence. */
  readonly hint: string;

  /** What to choose from, in lines, where a name stands for several things. */
  readonly choices: readonly string[];

  constructor(code: string, message: string, { hint, choices }: FailureDetails = {}) {
    super(message);
    this.code = code;
    this.hint = hint ?? "";
    this.choices = choices ?? [];
  }
}

export function apiPath(what: string, query: Query = {}): string {
  const words = queryText(query);
  return `/api/v1/${what}${words === "" ? "" : `?${words}`}`;
}

/** @throws Failure; the signal's reason */
export async function askServer<T>(path: string, init: RequestInit = {}): Promise<Reply<T>> {
  const response = await request(path, init);
  const body: T = await response.json();
  return { body, notes: notesOf(response) };
}

/** @throws Failure; the signal's reason */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = localStorage.getItem(TOKEN) ?? "";
  headers.set("authorization", `Bearer ${token}`);
  const response = await reached(path, { ...init, headers, cache: "no-store" });
  if (response.ok) return response;
  if (response.status === 401) forget(token);
  throw await failureOf(response);
}

export async function postJson<T>(path: string, value: unknown, init: RequestInit = {}): Promise<Reply<T>> {
  const headers = { "content-type": "application/json" };
  return askServer<T>(path, { ...init, method: "POST", headers, body: JSON.stringify(value) });
}

async function reached(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const hint = "It ends with the terminal that started it: run sessiondb serve again.";
    throw new Failure("unreachable", "the server does not answer", { hint });
  }
}

async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } & FailureDetails };
    return new Failure(error.code, error.message, error);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return new Failure(String(response.status), text || response.statusText);
  }
}

function notesOf(response: Response): readonly string[] {
  const notes = response.headers.get("sessiondb-notes");
  return notes === null ? [] : JSON.parse(decodeURIComponent(notes));
}

/** Another tab may have taken a new one meanwhile. */
function forget(token: string): void {
  if ((localStorage.getItem(TOKEN) ?? "") !== token) return;
  localStorage.removeItem(TOKEN);
  isLoggedIn.value = false;
}

/** What one tab takes or loses holds for all. */
export function shareLogin(): void {
  addEventListener("storage", ({ key }) => {
    if (key === TOKEN) isLoggedIn.value = localStorage.getItem(TOKEN) !== null;
  });
}

/** Takes the code out of the address, where it stands once, and hands it in. */
export async function logIn(): Promise<void> {
  const [, code] = /^#code=(.+)$/.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, "", location.pathname + location.search);
  localStorage.removeItem(TOKEN);
  const { body } = await postJson<{ token: string }>(apiPath("login"), { code });
  localStorage.setItem(TOKEN, body.token);
  isLoggedIn.value = true;
}
