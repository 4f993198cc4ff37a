import type { Asked, Found, PanelSource } from "./panel-source.ts";

/** Whom a question tells of its answers. */
interface Asker<Row> {
  /** What is asked as it stands now. */
  asked(): Asked;
  /** Rows have come; `before` were there until now, for the same question or another one. */
  shown(before: readonly Row[], isSame: boolean): void;
  draw(): void;
}

/** The question of a panel: asked anew with each change of what is typed, and again when there is something new. */
export class LiveQuestion<Row> {
  readonly #source: PanelSource<Row>;
  readonly #asker: Asker<Row>;
  #rows: readonly Row[] = [];
  /** The question that the rows answer. */
  #answered: Asked | undefined;
  #note = "";
  #hasMore = false;
  #trouble = "";
  /** Why rows may be missing. */
  #doubt = "";
  /** How much of the news is still to come. */
  #awaitedNews = 0;
  #isClosed = false;
  #running: AbortController | undefined;
  #pause: NodeJS.Timeout | undefined;

  constructor(source: PanelSource<Row>, asker: Asker<Row>) {
    this.#source = source;
    this.#asker = asker;
  }

  begin(): void {
    for (const each of this.#source.news()) void this.#await(each);
    this.ask();
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Whether more rows can be asked for, and are not yet. */
  get hasMore(): boolean {
    return this.#hasMore && this.#running === undefined;
  }

  /** Whether the rows answer what is asked now. */
  get isAnswered(): boolean {
    return isSame(this.#asker.asked(), this.#answered);
  }

  /** How many rows there are, and whether there may be more than it says. */
  get note(): string {
    if (this.#rows.length > 0 && this.#doubt !== "") return `${this.#note} · not up to date: ${this.#doubt}`;
    return this.#note !== "" && this.#awaitedNews > 0 ? `${this.#note} · reading…` : this.#note;
  }

  /** What is shown in the place of rows; empty where nothing is wrong. */
  get trouble(): string {
    return this.#trouble || this.#doubt;
  }

  /** Asks for the rows, also when the same question may have another answer by now. */
  ask(): void {
    if (this.#isClosed) return;
    this.#withdraw();
    const running = new AbortController();
    this.#running = running;
    const asked = this.#asker.asked();
    this.#source.find(asked, running.signal).then(
      (found) => running.signal.aborted || this.#show(asked, found, ""),
      (error: unknown) =>
        running.signal.aborted || this.#show(asked, { rows: [], note: "" }, messageOf(error)),
    );
  }

  /** Asks once nothing more is typed. */
  askSoon(): void {
    this.#withdraw();
    this.#pause = setTimeout(() => this.ask(), this.#source.pauseMs);
  }

  /** Asks now what would be asked soon. */
  hurry(): void {
    if (this.#pause !== undefined) this.ask();
  }

  close(): void {
    this.#isClosed = true;
    this.#withdraw();
  }

  #withdraw(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#running?.abort();
  }

  async #await(news: Promise<boolean>): Promise<void> {
    this.#awaitedNews++;
    try {
      const isNews = await news;
      this.#awaitedNews--;
      if (isNews) this.ask();
    } catch (error) {
      this.#awaitedNews--;
      this.#doubt = messageOf(error);
    }
    if (!this.#isClosed) this.#asker.draw();
  }

  #show(asked: Asked, { rows, note, hasMore = false }: Found<Row>, trouble: string): void {
    if (this.#isClosed) return;
    this.#running = undefined;
    const [before, same] = [this.#rows, isSame(asked, this.#answered)];
    this.#rows = rows;
    this.#answered = asked;
    this.#note = note;
    this.#hasMore = hasMore;
    this.#trouble = trouble;
    this.#asker.shown(before, same);
  }
}

function isSame(asked: Asked, other: Asked | undefined): boolean {
  if (other === undefined) return false;
  const { query, here, named, sort, role } = asked;
  return (
    query === other.query &&
    here === other.here &&
    named === other.named &&
    sort === other.sort &&
    role === other.role
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
