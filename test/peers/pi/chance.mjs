// Repeatable randomness: pi makes session ids with crypto.getRandomValues and entry ids with crypto.randomUUID.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** A generator of numbers in [0, 1): mulberry32, small and good enough for test material. */
export function createChance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Makes every source of randomness pi uses repeat from `seed`. `reseed` starts it anew. */
export function installChance(seed) {
  let current = createChance(seed);
  const chance = () => current();
  const fill = (array) => {
    for (let i = 0; i < array.length; i++) array[i] = Math.floor(chance() * 256);
    return array;
  };
  Math.random = chance;
  globalThis.crypto.getRandomValues = fill;
  crypto.randomUUID = () => {
    const hex = Buffer.from(fill(new Uint8Array(16))).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  // Named imports of node:crypto, such as pi's, follow the object only after this.
  syncBuiltinESMExports();
  const reseed = (next) => {
    current = createChance(next);
  };
  return { chance, reseed };
}
