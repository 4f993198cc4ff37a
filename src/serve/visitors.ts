import type { Socket } from "node:net";

/** A browser needs six for all tabs of a page. */
const MOST_CONNECTIONS = 64;

/**
 * Whose connections are open. Everybody on this machine may connect, and only a token tells who the page is for: where there
 * are too many, the oldest of a stranger is closed, so that nobody keeps others out by sitting there.
 */
export class Visitors {
  readonly #most: number;
  /** In the order in which they came. */
  readonly #strangers = new Set<Socket>();
  readonly #known = new Set<Socket>();

  constructor(most = MOST_CONNECTIONS) {
    this.#most = most;
  }

  admit(socket: Socket): void {
    this.#strangers.add(socket);
    socket.once("close", () => {
      this.#strangers.delete(socket);
      this.#known.delete(socket);
    });
    if (this.#strangers.size + this.#known.size <= this.#most) return;
    const [oldest] = this.#strangers;
    // It is told of only later that it has gone.
    if (oldest !== undefined) this.#strangers.delete(oldest);
    oldest?.destroy();
  }

  /** A request with a token has come through this connection. */
  know(socket: Socket): void {
    if (this.#strangers.delete(socket)) this.#known.add(socket);
  }
}
