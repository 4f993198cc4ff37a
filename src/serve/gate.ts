import type { IncomingMessage } from "node:http";

/** What a request is looked at by before anything of it is routed. */
export interface Gate {
  /** The names and ports that the page is reached by, as the Host header has them; nothing else is answered. */
  authorities: readonly string[];
  /** Whether a token was given out and still holds. */
  opens(token: string): boolean;
}

export interface Refusal {
  status: 400 | 401 | 403 | 405 | 411 | 413 | 415 | 421;
  /** A sentence without data. */
  message: string;
}

type Asked = Pick<IncomingMessage, "method" | "url" | "rawHeaders">;

/** Where a code is exchanged for a token: the one place below `/api` that asks for none. */
export const LOGIN = "/api/v1/login";

/** Bytes of a question that is posted. */
const LONGEST_BODY = 64 * 1024;

/**
 * Why a request is not answered; null where it is. Other pages of this browser, other users of this machine and names that
 * lead here by DNS are all told the same. That no Origin is there lets nobody in: the token does, which only this origin
 * holds, and which the browser never sends by itself.
 */
export function refusalOf(request: Asked, gate: Gate): Refusal | null {
  return refusalByPlace(request, gate) ?? refusalByMethod(request) ?? refusalByToken(request, gate);
}

function refusalByPlace(request: Asked, { authorities }: Gate): Refusal | null {
  const hosts = headersOf(request, "host");
  const host = hosts[0]?.toLowerCase();
  if (hosts.length !== 1 || host === undefined || !authorities.includes(host)) {
    return { status: 421, message: "Open the address that sessiondb serve has printed." };
  }
  const path = pathOf(request);
  if (path === null) return { status: 400, message: "There is no such place." };
  const origins = headersOf(request, "origin");
  if (origins.length > 1 || (origins[0] !== undefined && origins[0] !== `http://${host}`)) {
    return { status: 403, message: "This is answered to its own page only." };
  }
  const sites = headersOf(request, "sec-fetch-site");
  if (isOfApi(path) && sites.some((site) => site !== "same-origin")) {
    return { status: 403, message: "This is answered to its own page only." };
  }
  return null;
}

function refusalByMethod(request: Asked): Refusal | null {
  if (request.method === "GET") return null;
  if (request.method !== "POST" || !isOfApi(pathOf(request) ?? ""))
    return { status: 405, message: "Only GET, and POST for a few questions." };
  const [type = ""] = headersOf(request, "content-type");
  if (!/^application\/json\s*(;|$)/i.test(type)) return { status: 415, message: "A question is JSON." };
  const [length] = headersOf(request, "content-length");
  if (length === undefined || headersOf(request, "transfer-encoding").length > 0)
    return { status: 411, message: "A question says how long it is." };
  if (!(Number(length) <= LONGEST_BODY)) return { status: 413, message: "The question is too long." };
  return null;
}

/** Whatever lies below `/api` is asked for with a token, be it there or not. */
function refusalByToken(request: Asked, gate: Gate): Refusal | null {
  const path = pathOf(request) ?? "";
  if (!isOfApi(path) || (path === LOGIN && request.method === "POST")) return null;
  if (isSignedIn(request, gate)) return null;
  return { status: 401, message: "Open the address that sessiondb serve has printed." };
}

/** Whether a request has a token that holds. */
export function isSignedIn(request: Pick<Asked, "rawHeaders">, gate: Gate): boolean {
  const [authorization = "", ...more] = headersOf(request, "authorization");
  const [, token] = /^Bearer ([\w-]+)$/.exec(authorization) ?? [];
  return token !== undefined && more.length === 0 && gate.opens(token);
}

/** The path that is asked for; null where it could be read in two ways. */
function pathOf({ url = "" }: Asked): string | null {
  const [path = ""] = url.split("?", 1);
  if (!/^\/(?!\/)/.test(path) || /\\|\/\/|\/\.{1,2}(?:\/|$)/.test(path)) return null;
  // The router would read what is written otherwise as if it were not: only places of the page's own have such names.
  if (!path.includes("%")) return path;
  return /^\/s\/[\w%.:~!'()*-]+$/.test(path) ? path : null;
}

function isOfApi(path: string): boolean {
  return /^\/api(\/|$)/i.test(path);
}

/** All values of a header, which Node would join or drop. */
function headersOf({ rawHeaders }: Pick<Asked, "rawHeaders">, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? "");
  }
  return values;
}
