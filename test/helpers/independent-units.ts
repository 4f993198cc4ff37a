/*
 * What search promises about words, programmed a second time and in another way: by units of text, each with its
 * place. For tests only; slow and simple.
 */

export interface Unit {
  /** In small letters, without accents. */
  word: string;
  /** The place in the text, as a UTF-16 range `[start, end)`. */
  start: number;
  end: number;
}

const STANDS_ALONE =
  /^(?:[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}ー]|\p{Emoji_Presentation}|\p{Regional_Indicator})$/u;
const WITHOUT_SPACES = /^[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]$/u;
/** Vowel signs, which count as letters although Unicode calls them marks. */
const SIGN_OF_A_LETTER = /^[\p{sc=Deva}\p{sc=Beng}\p{sc=Taml}\p{sc=Telu}\p{sc=Thaa}]$/u;
const UNSEEN = /\u00ad|\u200d|\u2060|\ufeff|[\ufe00-\ufe0f]/g;

/** Words of letters and digits; characters of scripts without spaces, and emoji, one by one. */
export function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  let open: Unit | undefined;
  for (const { segment, index } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text)) {
    for (const { character, at } of charactersOf(segment.normalize("NFC"), index)) {
      const end = index + segment.length;
      const isSign = /\p{M}/u.test(character);
      const alone =
        (STANDS_ALONE.test(character) && !/\p{P}/u.test(character)) ||
        (WITHOUT_SPACES.test(character) && /[\p{L}\p{N}\p{M}]/u.test(character));
      if (character.replace(UNSEEN, "") === "") continue;
      if (/\p{Emoji_Modifier}/u.test(character) || (isSign && !alone && !SIGN_OF_A_LETTER.test(character))) {
        if (open) open.end = end;
        continue;
      }
      if (!alone && !/[\p{L}\p{N}\p{M}]/u.test(character)) {
        open = undefined;
        continue;
      }
      const word = character
        .normalize("NFD")
        .replace(/[\u0300-\u036f]/g, "")
        .normalize("NFC")
        .toLowerCase();
      if (open && !alone) Object.assign(open, { word: open.word + word, end });
      else units.push({ word, start: at, end });
      open = alone ? undefined : units.at(-1);
    }
  }
  return units;
}

function charactersOf(cluster: string, index: number): { character: string; at: number }[] {
  return [...cluster].map((character) => ({ character, at: index }));
}

/** Whether the units of the needle stand in the text one after the other; the last may go on with `prefix`. */
export function holdsUnits(text: string, needle: string, prefix = false): boolean {
  const [hay, wanted] = [unitsOf(text).map(({ word }) => word), unitsOf(needle).map(({ word }) => word)];
  if (wanted.length === 0) return false;
  return hay.some((_, at) =>
    wanted.every((word, n) => {
      const there = hay[at + n];
      return prefix && n === wanted.length - 1 ? there?.startsWith(word) === true : there === word;
    }),
  );
}

/** Whether an identifier in the text has this part: `parseHTTPResponse` has `parse`, `http`, `response` and `httpresponse`. */
export function holdsPart(text: string, part: string, prefix = false): boolean {
  return partsIn(text).some((each) => (prefix ? each.startsWith(part) : each === part));
}

/** The parts of all identifiers in a text, and each two in a row; but for those that look like encoded data. */
export function partsIn(text: string): string[] {
  return unitsOf(text).flatMap(({ start, end }) => {
    const name = text.slice(start, end).replace(UNSEEN, "").normalize("NFC");
    const parts =
      name.length > 60 ? [name] : name.split(/(?<=[\p{Ll}0-9])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    const pairs = parts.flatMap((part, at) => (at === 0 ? [] : [`${parts[at - 1]}${part}`]));
    const found = looksEncoded(name, parts) ? [name] : [...parts, ...pairs];
    return found.map((part) => unitsOf(part)[0]?.word ?? "");
  });
}

/** Of names longer than 12: more than eight parts; but for a first one of one letter, less than 2.5 letters a part or several of one; nowhere two small. */
function looksEncoded(name: string, parts: string[]): boolean {
  if ([...name].length <= 12) return false;
  const lengths = parts.map((part) => [...part].length).filter((length, at) => at > 0 || length > 1);
  const isShort = lengths.reduce((sum, length) => sum + length, 0) / lengths.length < 2.5;
  return (
    parts.length > 8 ||
    isShort ||
    lengths.filter((length) => length === 1).length > 1 ||
    !/\p{Ll}{2}/u.test(name)
  );
}
