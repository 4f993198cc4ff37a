import { appendFileSync, writeFileSync } from "node:fs";

/**
 * Makes pi's class 0.87.1 write as pi 1.x does, and we: the file comes into being with the first message of a
 * user, not only with that of a model.
 */
export function withFirstWriteOf1x(Pi) {
  const createBranchedSession = Pi.prototype.createBranchedSession;
  Pi.prototype._persist = function (entry) {
    if (this.flushed && this.persist && this.sessionFile) appendFileSync(this.sessionFile, lineOf(entry));
    else createIfDue(this);
  };
  Pi.prototype.createBranchedSession = function (leafId) {
    const path = createBranchedSession.call(this, leafId);
    createIfDue(this);
    return path;
  };
  return Pi;
}

function createIfDue(pi) {
  if (!pi.persist || !pi.sessionFile || pi.flushed || !pi.fileEntries.some(isConversation)) return;
  writeFileSync(pi.sessionFile, pi.fileEntries.map(lineOf).join(""), { flag: "wx" });
  pi.flushed = true;
}

function isConversation(entry) {
  return entry.type === "message" && ["user", "assistant"].includes(entry.message?.role);
}

function lineOf(entry) {
  return `${JSON.stringify(entry)}\n`;
}
