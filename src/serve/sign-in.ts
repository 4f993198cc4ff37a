import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** How long a code is good for, in ms. */
const CODE_MS = 60_000;

interface Code {
  digest: Buffer;
  issuedAt: number;
  /** Of the token that it was exchanged for. */
  token: Buffer | null;
}

/**
 * Who may ask. A link with a code is shown to whoever has started the server; the page exchanges the code for a token, once.
 * Both live in this process and die with it. A code that comes twice was seen by somebody else: its token is worth nothing
 * from then on.
 */
export class SignIn {
  readonly #codes: Code[] = [];
  readonly #clock: () => number;

  /** @param clock steady ms */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** A new code, of 128 bits. */
  issue(): string {
    const code = randomBytes(16).toString("base64url");
    this.#codes.push({ digest: digestOf(code), issuedAt: this.#clock(), token: null });
    return code;
  }

  /** The token for a code. `late` and `unknown` give none, `again` takes back the one that it has given. */
  exchange(code: string): { token: string } | "unknown" | "late" | "again" {
    const digest = digestOf(code);
    const found = this.#codes.find((each) => timingSafeEqual(each.digest, digest));
    if (found === undefined) return "unknown";
    if (found.token !== null) {
      this.#codes.splice(this.#codes.indexOf(found), 1);
      return "again";
    }
    if (this.#clock() - found.issuedAt > CODE_MS) return "late";
    const token = randomBytes(32).toString("base64url");
    found.token = digestOf(token);
    return { token };
  }

  holds(token: string): boolean {
    const digest = digestOf(token);
    return this.#codes.some((each) => each.token !== null && timingSafeEqual(each.token, digest));
  }
}

function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
