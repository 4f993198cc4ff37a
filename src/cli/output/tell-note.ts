import type { Note } from "../../api/api-context.ts";
import { formatBytes, formatCount, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import type { Output } from "../terminal/output.ts";

/** Says on stderr what a note of the api means. */
export function tell(talk: Output, note: Note): void {
  talk.note(sentenceOf(note));
}

function sentenceOf(note: Note): string {
  switch (note.kind) {
    case "quarantined":
      return `${DAMAGED[note.what]} was damaged; it was put aside (*.damaged), and is made anew from the session files.`;
    case "text_lost":
      return "the index had no full text; it is made from the session files.";
    case "from_files":
      return `${oneLine(note.why)}; the answer was read from the session files.`;
    case "root":
      return `${ROOT_PROBLEMS[note.problem](note.code)} ${oneLine(note.root)}`;
    case "new_folder":
      return `there was no folder ${oneLine(note.path)}; it is made for the index.`;
    case "stranger":
      return `${oneLine(note.path)} is not only yours (its owner is ${note.owner}), so no daemon was asked there; XDG_RUNTIME_DIR may be another user's.`;
    case "emptied":
      return "an earlier version wrote this index in another form; it is being filled again, this one time.";
    case "behind":
      return behind(
        `${note.bytes > 0 ? `${formatBytes(note.bytes)} of session files` : "Some changes"} are not in the index yet`,
      );
    case "unreadable":
      return `${plural(note.count, "path")} cannot be read, and the answer lacks what is new there; sessiondb sync shows more.`;
    case "vanished":
      return `${formatCount(note.count)} session files are gone, most of the folder at once; they are still part of the answer. If they were deleted, sessiondb sync --rebuild removes them from the index.`;
    case "untidy":
      return "everything can be searched, but the disk that holds the index has no space left to tidy up the full text; run sessiondb sync once it has.";
    case "removal_unfinished":
      return `${note.wasInterrupted ? "interrupted" : "the index is in use"}; ${REMAINS[note.left]}.`;
  }
}

const DAMAGED = { index: "the index", fullText: "the full text of the index" };

const ROOT_PROBLEMS = {
  missing: () => "there is no folder",
  file: () => "this is a file; name the folder that it is in:",
  unreadable: (code: string) => `the folder cannot be read (${code}):`,
};

const REMAINS = {
  words: "words of deleted sessions may stay in the full text until it is tidied up",
  rows: "the next sync removes the deleted sessions from the index",
};

/** Notes that the answer lacks something. */
export function noteBehind(talk: Output, what: string): void {
  talk.note(behind(what));
}

function behind(what: string): string {
  return `${what}; run sessiondb sync to bring everything in.`;
}
