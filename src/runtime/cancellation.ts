/** Thrown when Ctrl-C, or a signal like it, has stopped work between two of its steps. */
export class Interrupted extends Error {
  constructor(outcome = "what is indexed so far is kept, and the next run continues from there") {
    super(`interrupted; ${outcome}`);
    this.name = "Interrupted";
  }
}
