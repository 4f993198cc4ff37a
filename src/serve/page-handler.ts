import type { RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { type Gate, isSignedIn, refusalOf } from "./gate.ts";
import type { Served } from "./page-routes.ts";
import type { Visitors } from "./visitors.ts";

/** Of every answer. Nothing is loaded from elsewhere, nothing is written into the page but by its own script. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types sessiondb",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

/** What both servers do with a request: the gate first, then where it goes. */
export function pageHandler(gate: Gate, app: Hono<Served>, visitors: Visitors): RequestListener {
  const route = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const refusal = refusalOf(request, gate);
    if (refusal === null && isSignedIn(request, gate)) visitors.know(request.socket);
    if (refusal === null) void route(request, response);
    else refuse(response, refusal.status, refusal.message);
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const code = status === 401 ? "signed_out" : "refused";
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ error: { code, message, hint: null } }));
}
