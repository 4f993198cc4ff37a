import { geteuid, seteuid } from "node:process";

export const NOBODY = 65_534;

/** Does it without root's power over permissions; tests about permissions would show nothing otherwise. */
export function asNobody<T>(work: () => T): T {
  if (geteuid?.() !== 0) return work();
  seteuid?.(NOBODY);
  try {
    return work();
  } finally {
    seteuid?.(0);
  }
}

/** The same until a promise is settled: all threads of the process are nobody's meanwhile. */
export async function asNobodyUntil<T>(work: () => Promise<T>): Promise<T> {
  if (geteuid?.() !== 0) return work();
  seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    seteuid?.(0);
  }
}
