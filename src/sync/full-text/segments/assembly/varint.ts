/** Writes one of SQLite's numbers of variable length, and returns where it ends. */
export function putVarint(at: usize, value: u32): usize {
  if (value < 0x80) {
    store<u8>(at, value);
    return at + 1;
  }
  if (value < 0x4000) {
    store<u8>(at, 0x80 | (value >> 7));
    store<u8>(at, value & 0x7f, 1);
    return at + 2;
  }
  return putLong(at, value);
}

function putLong(at: usize, value: u32): usize {
  let end = at + 1;
  for (let rest = value >> 7; rest > 0; rest >>= 7) end++;
  let rest = value;
  for (let place = end - 1; place >= at; place--) {
    store<u8>(place, (rest & 0x7f) | (place === end - 1 ? 0 : 0x80));
    rest >>= 7;
  }
  return end;
}
