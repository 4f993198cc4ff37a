/** Parts of secrets, put together here so that nobody who looks for leaked ones finds them. */
export function random(length: number): string {
  return Array.from({ length }, (_, n) => "Qw3rTy7uIoP9aSd5FgH2jKl8ZxC4vBn6M"[(n * 7) % 33]).join("");
}

export function hex(length: number): string {
  return Array.from({ length }, (_, n) => "0123456789abcdef"[(n * 7) % 16]).join("");
}
