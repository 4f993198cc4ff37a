/** How many bytes a character has, by its first one. */
export function sizeOf(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The code point of the non-ASCII character that begins there; 0 where none begins. */
export function codeAt(utf8: Uint8Array, at: number): number {
  const lead = utf8[at] ?? 0;
  if (lead < 0xc0) return 0;
  const second = (utf8[at + 1] ?? 0) & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = (utf8[at + 2] ?? 0) & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  const fourth = (utf8[at + 3] ?? 0) & 0x3f;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | fourth;
}

/** Writes a character, and returns where it ends. */
export function putCode(utf8: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    utf8[at] = code;
    return at + 1;
  }
  let end = at;
  if (code < 0x800) utf8[end++] = 0xc0 | (code >> 6);
  else if (code < 0x10000) utf8[end++] = 0xe0 | (code >> 12);
  else {
    utf8[end++] = 0xf0 | (code >> 18);
    utf8[end++] = 0x80 | ((code >> 12) & 0x3f);
  }
  if (code >= 0x800) utf8[end++] = 0x80 | ((code >> 6) & 0x3f);
  utf8[end++] = 0x80 | (code & 0x3f);
  return end;
}
