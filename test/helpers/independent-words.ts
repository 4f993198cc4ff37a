import { type Fields, isFields, type ReadEntry, readSessionsFolder } from "./independent-read.ts";

export interface WordHit {
  path: string;
  line: number;
  entryId: string;
  type: string;
  role: string | null;
}

/**
 * Entries below `root` that hold `word` as a whole word, in upper or lower case. A word ends where letters, digits and
 * marks end, so `foo_bar` holds `foo`. Not modelled are parts of compound names, accents and the limits on long texts:
 * look for words to which none of these matters.
 */
export function findWord(root: string, word: string): WordHit[] {
  const escaped = word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${escaped}(?![\\p{L}\\p{N}\\p{M}])`, "iu");
  return readSessionsFolder(root).flatMap(({ path, entries }) =>
    entries
      .filter((entry) => textsOf(entry).some((text) => pattern.test(text)))
      .map(({ line, id, type, role }) => ({ path, line, entryId: id, type, role })),
  );
}

/** The texts of people, models and tools in this entry; no images, signatures, details or states of extensions. */
export function textsOf(entry: ReadEntry): string[] {
  const { value } = entry;
  switch (entry.type) {
    case "message":
      return isFields(value.message) ? textsOfMessage(value.message) : [];
    case "compaction":
    case "branch_summary":
      return strings(value.summary);
    case "custom_message":
      return textsOfContent(value.content);
    case "label":
      return strings(value.label);
    case "session_info":
      return strings(value.name);
    default:
      return [];
  }
}

function textsOfMessage(message: Fields): string[] {
  const said = [message.command, message.output, message.summary, message.errorMessage].flatMap(strings);
  return [...said, ...textsOfContent(message.content)];
}

function textsOfContent(content: unknown): string[] {
  if (!Array.isArray(content)) return strings(content);
  return content.filter(isFields).flatMap((block) => {
    switch (block.type) {
      case "text":
        return strings(block.text);
      case "thinking":
        return strings(block.thinking);
      case "toolCall":
        return [...strings(block.name), ...stringsWithin(block.arguments)];
      default:
        return [];
    }
  });
}

/** Every string inside a value, without keys. */
function stringsWithin(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return strings(value);
  return Object.values(value).flatMap(stringsWithin);
}

function strings(value: unknown): string[] {
  return typeof value === "string" ? [value] : [];
}
