import { expect, test } from "vitest";
import { refusalOf } from "../../src/serve/gate.ts";

const HOST = "sdb-abcdefghijklm.localhost:7433";
const TOKEN = "this-is-the-token";
const gate = { authorities: [HOST], opens: (token: string) => token === TOKEN };
const BEARER = ["Authorization", `Bearer ${TOKEN}`];
const ORIGIN = ["Origin", `http://${HOST}`];
const JSON_BODY = ["Content-Type", "application/json", "Content-Length", "20"];

function statusOf(method: string, url: string, headers: readonly string[]): number {
  return refusalOf({ method, url, rawHeaders: [...headers] }, gate)?.status ?? 200;
}

const host = ["Host", HOST];
test.each<[about: string, status: number, method: string, url: string, headers: readonly string[]]>([
  ["the page itself", 200, "GET", "/", host],
  ["a session of the page", 200, "GET", "/s/01a0e225:16?show=tools", host],
  ["a session that is named by its path", 200, "GET", "/s/%2Fhome%2Fada%2Fx.jsonl", host],
  ["a session that is named with marks", 200, "GET", "/s/it's%20(all)%20done!*", host],
  ["a question with the token", 200, "GET", "/api/v1/status", [...host, ...BEARER]],
  [
    "a question of the page",
    200,
    "GET",
    "/api/v1/status",
    [...host, ...BEARER, ...ORIGIN, "Sec-Fetch-Site", "same-origin"],
  ],
  ["the host in capitals", 200, "GET", "/api/v1/status", ["Host", HOST.toUpperCase(), ...BEARER]],
  ["a login", 200, "POST", "/api/v1/login", [...host, ...JSON_BODY]],
  ["a statement", 200, "POST", "/api/v1/sql", [...host, ...JSON_BODY, ...BEARER]],
  ["no host", 421, "GET", "/", []],
  ["another name that leads here", 421, "GET", "/api/v1/status", ["Host", "rebound.test:7433", ...BEARER]],
  ["the address", 421, "GET", "/api/v1/status", ["Host", "127.0.0.1:7433", ...BEARER]],
  ["localhost", 421, "GET", "/api/v1/status", ["Host", "localhost:7433", ...BEARER]],
  ["another port", 421, "GET", "/", ["Host", "sdb-abcdefghijklm.localhost:7434"]],
  ["the name without a port", 421, "GET", "/", ["Host", "sdb-abcdefghijklm.localhost"]],
  ["the name with a dot behind it", 421, "GET", "/", ["Host", "sdb-abcdefghijklm.localhost.:7433"]],
  ["the loopback of IPv6", 421, "GET", "/", ["Host", "[::1]:7433"]],
  ["two hosts", 421, "GET", "/", ["Host", HOST, "host", HOST]],
  ["two hosts, the second another one", 421, "GET", "/", ["Host", HOST, "host", "evil.test"]],
  ["a name in front of ours", 421, "GET", "/", ["Host", `evil.${HOST}`]],
  ["another origin", 403, "GET", "/api/v1/status", [...host, ...BEARER, "Origin", "http://evil.test"]],
  [
    "another port's origin",
    403,
    "GET",
    "/api/v1/status",
    [...host, ...BEARER, "Origin", "http://127.0.0.1:8000"],
  ],
  ["an origin that is hidden", 403, "GET", "/api/v1/status", [...host, ...BEARER, "Origin", "null"]],
  [
    "two origins",
    403,
    "GET",
    "/api/v1/status",
    [...host, ...BEARER, ...ORIGIN, "Origin", "http://evil.test"],
  ],
  ["our origin over TLS", 403, "GET", "/api/v1/status", [...host, ...BEARER, "Origin", `https://${HOST}`]],
  [
    "another port of this machine",
    403,
    "GET",
    "/api/v1/status",
    [...host, ...BEARER, "Sec-Fetch-Site", "same-site"],
  ],
  ["another site", 403, "POST", "/api/v1/login", [...host, ...JSON_BODY, "Sec-Fetch-Site", "cross-site"]],
  ["a question typed as an address", 403, "GET", "/api/v1/status", [...host, "Sec-Fetch-Site", "none"]],
  ["no token", 401, "GET", "/api/v1/status", host],
  ["no token, and no such place", 401, "GET", "/api/v1/nope", host],
  ["a wrong token", 401, "GET", "/api/v1/status", [...host, "Authorization", "Bearer wrong"]],
  ["two tokens", 401, "GET", "/api/v1/status", [...host, ...BEARER, ...BEARER]],
  ["the token as a password", 401, "GET", "/api/v1/status", [...host, "Authorization", `Basic ${TOKEN}`]],
  ["the token in the address", 401, "GET", `/api/v1/status?access_token=${TOKEN}`, host],
  ["the place of the login, read", 401, "GET", "/api/v1/login", host],
  ["the api in capitals", 401, "GET", "/API/v1/status", host],
  ["the api behind an escape", 400, "GET", "/%61pi/v1/status", host],
  ["the api behind a session", 400, "GET", "/s/%2e%2e/../api/v1/status", host],
  ["two slashes", 400, "GET", "//api/v1/status", [...host, ...BEARER]],
  ["two slashes within", 400, "GET", "/api//v1/status", [...host, ...BEARER]],
  ["a way up", 400, "GET", "/api/v1/../../etc/passwd", [...host, ...BEARER]],
  ["a backslash", 400, "GET", "/api\\v1/status", [...host, ...BEARER]],
  ["an address as for a proxy", 400, "GET", `http://${HOST}/api/v1/status`, [...host, ...BEARER]],
  ["an asterisk", 400, "OPTIONS", "*", host],
  [
    "what browsers ask before a request from elsewhere",
    405,
    "OPTIONS",
    "/api/v1/status",
    [...host, ...BEARER],
  ],
  ["a deletion", 405, "DELETE", "/api/v1/sessions", [...host, ...BEARER]],
  ["heads", 405, "HEAD", "/", host],
  [
    "a form",
    415,
    "POST",
    "/api/v1/sql",
    [...host, ...BEARER, "Content-Type", "text/plain", "Content-Length", "5"],
  ],
  ["a post to the page", 405, "POST", "/", [...host, ...JSON_BODY]],
  [
    "a body of unknown length",
    411,
    "POST",
    "/api/v1/sql",
    [...host, ...BEARER, "Content-Type", "application/json", "Transfer-Encoding", "chunked"],
  ],
  [
    "a length and a coding",
    411,
    "POST",
    "/api/v1/sql",
    [...host, ...BEARER, ...JSON_BODY, "Transfer-Encoding", "chunked"],
  ],
  [
    "a long body",
    413,
    "POST",
    "/api/v1/sql",
    [...host, ...BEARER, "Content-Type", "application/json", "Content-Length", "65537"],
  ],
  [
    "a length that is none",
    413,
    "POST",
    "/api/v1/sql",
    [...host, ...BEARER, "Content-Type", "application/json", "Content-Length", "many"],
  ],
])("%s: %i", (_about, status, method, url, headers) => {
  expect(statusOf(method, url, headers)).toBe(status);
});
