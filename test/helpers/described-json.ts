/** Keys of JSON as docs/json.md lists them, and how a document differs from that. */

/** What stands under a key. */
interface Member {
  /** It is there in some answers only. */
  optional: boolean;
  isList: boolean;
  /** Absent: no object, so that no key of it goes without description; a name: see there; "anything": said in words. */
  inner?: Keys | string | "anything";
}

/** In the order in which they are printed. */
export type Keys = Map<string, Member>;

/** Lists of keys that have a name. */
export type Shapes = Map<string, Keys>;

/** A key, what may stand behind it, names of lists that stand for their keys, and the word before what is not always there. */
const TOKEN =
  /`(?<key>\w+)`|(?<pairs>\[\[)[^\]]*\]\]|(?<open>\[?\{)|(?<close>\}\]?)|\[(?<list>[A-Z]\w+)\]|\((?<one>[A-Z]\w+)\)|(?<words>\([^)]*\))|(?<also>\balso\b)|(?<spread>\b[A-Z]\w+\b)/g;

/**
 * Reads a list such as "`a`, `b` {`c`}, `d` [Shape], Shape, with `--more` also `e` (in words)".
 *
 * @param shapes those that the list may stand for; its keys come from there
 */
export function readKeys(text: string, shapes: Shapes): Keys {
  const top: Keys = new Map();
  const levels = [{ keys: top, optional: false }];
  let last: Member | undefined;
  for (const { groups = {} } of text.matchAll(TOKEN)) {
    const { key, open, list, one, spread } = groups;
    const level = levels.at(-1);
    if (level === undefined) throw new Error(`too many brackets in ${text}`);
    if (key !== undefined) {
      last = { optional: level.optional, isList: false };
      level.keys.set(key, last);
    } else if (open !== undefined && last) {
      const keys: Keys = new Map();
      Object.assign(last, { isList: open === "[{", inner: keys });
      levels.push({ keys, optional: false });
    } else if (groups.close !== undefined) levels.pop();
    else if (list !== undefined && last) Object.assign(last, { isList: true, inner: list });
    else if (one !== undefined && last) last.inner = one;
    else if (groups.words !== undefined && last) last.inner = "anything";
    else if (groups.also !== undefined) level.optional = true;
    else if (spread !== undefined) {
      for (const [each, member] of shapes.get(spread) ?? []) level.keys.set(each, member);
    }
  }
  return top;
}

/** Compares documents with a description, and remembers what of it they showed. */
export class Comparison {
  readonly #shapes: Shapes;
  /** As `troubles[].path`, or with the name of a list of keys: `Session.id`. */
  readonly #described = new Set<string>();
  readonly #met = new Set<string>();

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  /** Described keys that no document had, or none with a value that shows its inner keys. */
  get unmet(): string[] {
    return [...this.#described].filter((path) => !this.#met.has(path));
  }

  /** Where a document has other keys than those described, in words; `at` is what stands before a key's name. */
  differences(value: object, keys: Keys, at = ""): string[] {
    const isOptional = (key: string): boolean => keys.get(key)?.optional === true;
    const [names, described] = [Object.keys(value), [...keys.keys()]];
    for (const key of described) this.#described.add(at + key);
    const [has, should] = [names, described].map((all) => all.filter((key) => !isOptional(key)).join());
    const own = has === should ? [] : [`${at || "document"}: ${has} instead of ${should}`];
    const inner = Object.entries(value).flatMap(([key, each]) => {
      const member = keys.get(key);
      return member ? this.#within(each, member, at + key) : [];
    });
    return [...own, ...inner];
  }

  #within(value: unknown, { isList, inner }: Member, path: string): string[] {
    if (inner === undefined && holdsObject(value)) return [`${path}: nothing says which keys it has`];
    if (inner === undefined || inner === "anything") {
      this.#met.add(path);
      return [];
    }
    const keys = typeof inner === "string" ? this.#shapes.get(inner) : inner;
    if (keys === undefined) return [`${path}: nothing says what ${String(inner)} is`];
    if (value === null) return [];
    if (Array.isArray(value) !== isList) return [`${path}: ${isList ? "no" : "a"} list`];
    const objects = [value].flat() as object[];
    if (objects.length > 0) this.#met.add(path);
    const place = typeof inner === "string" ? inner : `${path}${isList ? "[]" : ""}`;
    return objects.flatMap((each) => this.differences(each, keys, `${place}.`));
  }
}

function holdsObject(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsObject);
  return typeof value === "object" && value !== null;
}
