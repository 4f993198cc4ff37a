/** Milliseconds of CLOCK_MONOTONIC, which all processes of a Linux machine share (Node's hrtime reads it). */
export function sharedMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
