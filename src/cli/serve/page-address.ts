import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import { isSystemError, SessionDbError, unlessUnreadable } from "../../errors.ts";

/** 65 bits, in letters that host names have. */
const NAME = /^sdb-[a-z2-7]{13}$/;

/**
 * The name of the page below `localhost`, which browsers take to this machine. It is made once for an index, so that
 * bookmarks last, and nobody else knows it: what a server had left in the browser at 127.0.0.1, be it a service worker or
 * a cookie, is not at this name.
 */
export function pageNameOf({ indexPath }: Config["location"]): string {
  const path = join(dirname(indexPath), "page-name");
  const known = unlessUnreadable(() => readFileSync(path, "utf8").trim());
  if (known !== undefined && NAME.test(known)) return known;
  const name = `sdb-${[...randomBytes(13)].map((byte) => "abcdefghijklmnopqrstuvwxyz234567"[byte % 32]).join("")}`;
  try {
    writeFileSync(path, `${name}\n`, { mode: 0o600 });
  } catch (error) {
    // Where nothing can be written the name is another one each time.
    if (!isSystemError(error)) throw error;
  }
  return name;
}

/**
 * What the page is reached by through a tunnel: a name below `localhost`, which no other machine can be asked for.
 *
 * @throws SessionDbError `usage`
 */
export function publicAuthority(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "http:" && /(^|\.)localhost$|^127\.0\.0\.1$/.test(parsed.hostname))
    return parsed.host;
  throw new SessionDbError("usage", `--public-url cannot be "${url}"`, {
    hint: "It is the page's own name with the port at your end of the tunnel: http://sdb-....localhost:18080.",
  });
}

/**
 * A file that leads a browser to an address, readable by its owner alone: a command line can be read by everybody on this
 * machine. `remove` is to be called when it was opened.
 */
export function redirectTo(url: string): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "sessiondb-page-"));
  const path = join(folder, "open.html");
  const page = `<!doctype html><meta charset="utf-8"><title>sessiondb</title><meta http-equiv="refresh" content="0; url=${url}">\n`;
  writeFileSync(path, page, { mode: 0o600 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
