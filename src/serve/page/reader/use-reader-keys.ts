import type { Outline } from "../../../reports/read-conversation.ts";
import { useKeys } from "../keys.ts";
import { goTo, route } from "../navigation.ts";
import { copyText } from "../said.ts";
import { branchAddress } from "./outline-side.tsx";
import { exportSession, resumeCommand, toggleHiding } from "./reader-head.tsx";
import { type CurrentEntry, stepEntry } from "./use-current-entry.ts";

interface Reading {
  outline: Outline;
  current: CurrentEntry;
  jump: (place: number) => void;
}

export function useReaderKeys({ outline, current, jump }: Reading): void {
  const { session } = outline;
  useKeys({
    j: { about: "Next entry", run: () => stepEntry(1) },
    k: { about: "Entry before", run: () => stepEntry(-1) },
    J: { about: "Next prompt", run: () => jumpPrompt(outline, current.place, jump, 1) },
    K: { about: "Prompt before", run: () => jumpPrompt(outline, current.place, jump, -1) },
    "[": { about: "Branch before, at the last fork", run: () => stepBranch(outline, current.place, -1) },
    "]": { about: "Next branch, at the last fork", run: () => stepBranch(outline, current.place, 1) },
    t: { about: "Hide or show thinking", run: () => toggleHiding("thinking") },
    d: { about: "Hide or show tools", run: () => toggleHiding("tools") },
    b: { about: "Go to the outline", run: focusOutline },
    f: { about: "Find in this session", run: () => document.getElementById("find")?.focus() },
    y: {
      about: "Copy the handle of this entry",
      run: () => void copyText(`${route.value.session}:${current.line}`),
    },
    r: { about: "Copy the command that resumes it", run: () => void copyText(resumeCommand(session)) },
    x: { about: "Export as a page", run: () => exportSession(session.id, "html") },
    Escape: { about: "Back", run: () => history.back() },
  });
}

function focusOutline(): void {
  const here = document.querySelector<HTMLElement>(".outline [aria-current]");
  (here ?? document.querySelector<HTMLElement>(".outline button"))?.focus();
}

function jumpPrompt({ items }: Outline, place: number, jump: (place: number) => void, by: 1 | -1): void {
  const prompts = items.filter(({ kind }) => kind === "prompt").map((item) => item.place);
  const next = by === 1 ? prompts.find((each) => each > place) : prompts.findLast((each) => each < place);
  if (next !== undefined) jump(next);
}

/** Where the last fork above leads: its branches by their places in the file, this one among them. */
function stepBranch({ items, last }: Outline, place: number, by: 1 | -1): void {
  const forks = items.filter(({ kind }) => kind === "branches");
  const fork = forks.findLast((item) => item.place <= place) ?? forks[0];
  if (fork === undefined || last === null) return;
  const ends = [...fork.branches, last].sort((a, b) => a.line - b.line);
  const next = ends[(ends.findIndex((end) => end.line === last.line) + by + ends.length) % ends.length];
  if (next !== undefined) goTo(branchAddress(fork.line, next));
}
