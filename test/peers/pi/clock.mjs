// A clock that moves only when it is told to: pi asks Date for every timestamp it writes.
const RealDate = globalThis.Date;

/** Replaces the global Date by one that stands at `start` (ISO 8601) until `advance` or `moveTo` is called. */
export function installClock(start) {
  let now = RealDate.parse(start);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length > 0 ? args : [now], newTarget),
    apply: () => new RealDate(now).toString(),
    get: (target, key) => (key === "now" ? () => now : Reflect.get(target, key, target)),
  });
  return {
    advance(milliseconds) {
      now += Math.round(milliseconds);
    },
    /** Only forwards: pi's session ids hold the time, and never run backwards within a process. */
    moveTo(iso) {
      const to = RealDate.parse(iso);
      if (!(to >= now))
        throw new Error(`clock cannot go back from ${new RealDate(now).toISOString()} to ${iso}`);
      now = to;
    },
  };
}
