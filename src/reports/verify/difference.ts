/** More differences of one file than this are counted, not told. */
const TOLD = 20;
/** Characters of a value that are shown. */
const SHOWN = 60;

/** Collects what differs between a session file and the index. */
export class Differences {
  readonly #told: string[] = [];
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(what: string): void {
    this.#count++;
    if (this.#told.length < TOLD) this.#told.push(what);
  }

  /** Notes each value that is not the same in both. Dollars may differ in the last places: floats were added. */
  compare(where: string, inFile: Record<string, unknown>, inIndex: Record<string, unknown>): void {
    for (const [name, expected] of Object.entries(inFile)) {
      const found = inIndex[name] ?? null;
      if (same(expected ?? null, found)) continue;
      this.add(`${where}${name} is ${shown(expected)} in the file, ${shown(found)} in the index`);
    }
  }

  /** Compares rows by their names: each has to be in both. */
  compareRows(what: string, inFile: ReadonlyMap<string, object>, inIndex: ReadonlyMap<string, object>): void {
    for (const [name, row] of inFile) {
      const found = inIndex.get(name);
      if (found === undefined) this.add(`${what} ${name} is not in the index`);
      else this.compare(`${what} ${name}: `, { ...row }, { ...found });
    }
    for (const name of inIndex.keys()) {
      if (!inFile.has(name)) this.add(`the index has ${what} ${name}, which is not in the file`);
    }
  }

  list(): string[] {
    const left = this.#count - this.#told.length;
    return left > 0 ? [...this.#told, `and ${left} more differences`] : this.#told;
  }
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a === "boolean") return same(a ? 1 : 0, b);
  if (typeof a !== "number" || typeof b !== "number") return a === b;
  return a === b || sameDollars(a, b);
}

/** Equal but for the rounding of floats that were added in another order. Whole numbers have to be equal. */
export function sameDollars(a: number, b: number): boolean {
  if (Number.isInteger(a) && Number.isInteger(b)) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
