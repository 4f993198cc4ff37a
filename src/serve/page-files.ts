import { readFileSync } from "node:fs";
import { unlessUnreadable } from "../errors.ts";

/** Files of the page by the place that they are asked for at. */
const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
};

const SHELL = ["index.html", "text/html; charset=utf-8"] as const;

/** What the browser loads. It holds no data: every place that is no file is the same empty page, which then asks. */
export class PageFiles {
  readonly #folder: URL;

  /** @param folder of the bundles, with a slash at its end */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  answer(path: string): Response {
    // The place of a session may end like a file: `/s/01a0e225:16.2`.
    const isPage = path.startsWith("/s/") || !/\.\w+$/.test(path);
    const file = FILES[path] ?? (isPage ? SHELL : undefined);
    const bytes = file && unlessUnreadable(() => readFileSync(new URL(file[0], this.#folder)));
    if (file === undefined || bytes === undefined)
      return new Response("There is no such file.\n", { status: 404 });
    return new Response(new Uint8Array(bytes), {
      headers: { "content-type": file[1], "cache-control": "no-cache" },
    });
  }
}
