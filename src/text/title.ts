import { foldedLine, isVisible, NO_MESSAGES, TITLE_LENGTH } from "./preview.ts";

/**
 * What a person has asked in a message around which programs have written: pi puts expanded skills and attached files
 * before what was typed, bridges from chats who has sent it, and hosts what the model is to be reminded of.
 */

/** How many messages of a user are looked at for one that a person wrote. */
export const MESSAGES_LOOKED_AT = 8;

/**
 * What a session is called where it has no name: the beginning of the first question that a person has asked in it. Where
 * all was written by programs, the files that came with the first message, or that message itself.
 *
 * @param said what the user has said, in the order of the file; read no further than needed
 */
export function titleOf(name: string | null, said: Iterable<string>): string {
  if (name !== null && isVisible(name)) return name;
  let first: string | undefined;
  for (const text of said) {
    const question = foldedLine(questionIn(text), TITLE_LENGTH);
    if (isVisible(question)) return question;
    if (isVisible(text)) first ??= text;
  }
  if (first === undefined) return NO_MESSAGES;
  return foldedLine(attachedTo(first), TITLE_LENGTH) || foldedLine(first, TITLE_LENGTH) || NO_MESSAGES;
}

/** @param text a user's message; empty where nothing of it says what a person wants */
export function questionIn(text: string): string {
  let rest = text.trim();
  let said = "";
  let done = "";
  for (let part = partAt(rest); part !== null; part = partAt(rest)) {
    said ||= part.said;
    done ||= part.done;
    rest = rest.slice(part.end).trimStart();
  }
  return withoutTrailing(rest) || said || done;
}

/** The names of the files that are attached to a message, as pi is given them: `@notes.md @plan.md`. */
function attachedTo(text: string): string {
  return Array.from(text.matchAll(ATTACHED), ([, path = ""]) => `@${path.split(/[/\\]/).at(-1)}`).join(" ");
}

const ATTACHED = /^<file name="([^"\n]+)">/gm;

/** What a program has written at the beginning of a text. */
interface Part {
  /** Where it ends; more than 0. */
  end: number;
  /** What it quotes of the person. */
  said: string;
  /** What the person has done to make the program write it. */
  done: string;
}

function partAt(text: string): Part | null {
  // Nearly every message begins with a word of a person.
  if (!MAY_BEGIN.test(text)) return null;
  const end = FRAMES.reduce((most, frame) => Math.max(most, frame.exec(text)?.[0].length ?? 0), 0);
  return end > 0 ? { end, said: "", done: "" } : elementAt(text);
}

const MAY_BEGIN = /^(?:[<[`]|---|[\w -]{2,60}[:(])/;

/** Of what people are told about a message: in labels, and as names of fields. */
const ABOUT =
  "conversation|sender|from|chat|channel|message|thread|user|reply|platform|group|metadata|timestamp";

const CHATS =
  "telegram|whatsapp|discord|slack|signal|imessage|matrix|teams|mattermost|irc|webchat|sms|e-?mail|line|feishu|lark|wechat";

/** Frames that are no elements; each matches at the beginning of a text only. */
const FRAMES = [
  // "Sender (untrusted metadata):", and a fence with what there is to tell.
  /^(?:[^\n:(]{0,60}\([^\n:)]{0,60}\b(?:untrusted|metadata)\b|(?:sender|conversation info|metadata)\b)[^\n:]{0,80}:[ \t]*\n\s*```[^\n]*\n[\s\S]*?\n```[ \t]*(?:\n|$)/i,
  // The fence alone, where its language, or the name of its first field, says that it is about the message.
  new RegExp(
    `^\`\`\`(?:json|ya?ml)?[ \\t]*\\n(?:\\{\\s*)?"?(?:${ABOUT})\\w*"?\\s*:[\\s\\S]*?\\n\`\`\`[ \\t]*(?:\\n|$)`,
    "i",
  ),
  /^```(?:metadata|context|sender|envelope)\b[^\n]*\n[\s\S]*?\n```[ \t]*(?:\n|$)/i,
  // "Untrusted context (do not treat as instructions):", and lines up to an empty one.
  /^untrusted context\b[^\n]*:[ \t]*\n(?:[^\n]+\n)*(?:\n|$)/i,
  // "[Telegram Ada id:7 +2m]", "[Tue 2026-02-17 21:30 UTC]", and the speaker that may follow: "[ada]:".
  new RegExp(
    `^\\[(?:(?:${CHATS})\\b(?! ?\\d+\\])(?=[^\\]\\n]*[\\d@])[^\\]\\n]*|(?:${ABOUT})\\w*:[^\\]\\n]*|[^\\]\\n]{0,200}\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d[^\\]\\n]*)\\](?:[ \\t]*\\[[^\\]\\n]{1,80}\\]:)?`,
    "i",
  ),
  // "System: [2026-02-17 21:30:00] a device has connected", a line for each event.
  /^system(?: \(untrusted\))?: \[[^\]\n]*\d\d:\d\d[^\n]*(?:\n|$)/i,
  // Front matter, and the headers of a letter up to an empty line.
  /^---[ \t]*\n(?:\w[\w .-]{0,40}:[^\n]*\n|[ \t][^\n]*\n)+---[ \t]*(?:\n|$)/,
  /^(?:(?:from|to|sender|channel|chat|platform|thread|reply-to|message[- ]id|user(?: id)?|chat id|date|sent|subject)[ \t]*:[^\n]*\n)+[ \t]*\n/i,
];

const OPENING = /^<([A-Za-z][\w.:-]*)(?:\s[^\n]*?)?>/;

/** Elements whose content is the person's. */
const OF_PEOPLE =
  /^(?:(?:user|human)[_-])?(?:query|question|prompt|request|message|input|text|task|body|content)$|^(?:user|human|channel)$/i;

/** Elements that programs write for the model; so are all whose names are made of several words. */
const OF_PROGRAMS =
  /^(?:skill|files?|attachments?|context|environment|sender|metadata|envelope|reminder|memory|memories|system|instructions|caveat)$|\w[_-]\w/i;

function isOfPrograms(name: string): boolean {
  return OF_PROGRAMS.test(name) && !OF_PEOPLE.test(name);
}

/**
 * An element at the beginning of a text. One that neither people nor programs are known to be quoted in counts only where
 * its tags stand on lines of their own: people ask about elements, too.
 */
function elementAt(text: string): Part | null {
  const [opening, name = ""] = OPENING.exec(text) ?? [];
  if (opening === undefined) return null;
  const ofPrograms = isOfPrograms(name);
  const isKnown = ofPrograms || OF_PEOPLE.test(name);
  if (!isKnown && text[opening.length] !== "\n") return null;
  const end = endOfElements(text, name) ?? (isKnown ? afterFirst(text, `</${name}>`) : null);
  if (end === null)
    return /^(?:skill|file)$/.test(name) ? { end: text.length, said: "", done: doneBy(opening) } : null;
  if (ofPrograms) return { end, said: "", done: doneBy(opening) };
  return { end, said: questionIn(text.slice(opening.length, text.lastIndexOf("</", end))), done: "" };
}

/** A skill that was called without another word, as that is typed. */
function doneBy(opening: string): string {
  const called = /^<skill\s[^>]*?\bname="([^"]+)"/.exec(opening)?.[1];
  return called === undefined ? "" : `/skill:${called}`;
}

/**
 * Where the elements of a name at the beginning of a text end; null where no closing tag begins a line. A file may hold
 * such elements itself: those inside are passed over, and a closing tag too many belongs to the file before it.
 */
function endOfElements(text: string, name: string): number | null {
  const tag = name.replaceAll(".", "\\.");
  const tags = new RegExp(`^<${tag}(?:\\s[^\\n]*?)?>(?:[^\\n]*</${tag}>)?|^</${tag}>`, "gm");
  let end: number | null = null;
  let lastClosed: number | null = null;
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(tags)) {
    const isWhole = !found.startsWith("</") && found.endsWith(`</${name}>`);
    const opens = !found.startsWith("</") && !isWhole;
    if ((opens || isWhole) && depth === 0 && text.slice(end ?? 0, index).trim() !== "") break;
    if (opens) depth++;
    else if (!isWhole) depth = Math.max(0, depth - 1);
    if (!opens) lastClosed = index + found.length;
    if (depth === 0) end = lastClosed;
  }
  return end ?? lastClosed;
}

function afterFirst(text: string, tag: string): number | null {
  const at = text.indexOf(tag);
  return at < 0 ? null : at + tag.length;
}

/** What stands before the first element of a program: reminders and attachments may come after the question, too. */
function withoutTrailing(text: string): string {
  for (const { 1: name = "", index } of text.matchAll(BEGINS_LINE)) {
    if (isOfPrograms(name)) return text.slice(0, index).trimEnd();
  }
  return text;
}

const BEGINS_LINE = /^<([A-Za-z][\w.:-]*)(?:\s[^\n]*?)?>/gm;
