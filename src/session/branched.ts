/** The entries of a session that holds one branch of another. */
import type { DrawEntryId } from "../format/ids.ts";
import type { LabelEntry, SessionEntry } from "../format/types.ts";
import type { ResolvedLabel } from "./entry-tree.ts";

/**
 * The branch without its label entries, chained anew, and then one label entry for each label in force on
 * it: labels may have been set from another branch, and those of the branch may have been changed since.
 */
export function branchedEntries(
  branch: readonly SessionEntry[],
  labels: Iterable<ResolvedLabel>,
  drawId: DrawEntryId,
): SessionEntry[] {
  const kept = chainWithoutLabels(branch);
  const ids = new Set(kept.map((entry) => entry.id));
  let parentId = kept.at(-1)?.id || null;
  const labelEntries: LabelEntry[] = [];
  for (const { targetId, label, timestamp } of [...labels].filter((each) => ids.has(each.targetId))) {
    const id = drawId(ids);
    ids.add(id);
    labelEntries.push({ type: "label", id, parentId, timestamp, targetId, label });
    parentId = id;
  }
  return [...kept, ...labelEntries];
}

/** Entries below a label become children of the entry above it. */
function chainWithoutLabels(branch: readonly SessionEntry[]): SessionEntry[] {
  const followers = labelFollowers(branch);
  const kept: SessionEntry[] = [];
  let parentId: string | null = null;
  for (const entry of branch) {
    if (entry.type === "label") continue;
    kept.push(chained(entry, parentId, followers));
    parentId = entry.id;
  }
  return kept;
}

function chained(
  entry: SessionEntry,
  parentId: string | null,
  followers: ReadonlyMap<string, string>,
): SessionEntry {
  if (entry.type !== "compaction") return { ...entry, parentId };
  const { id, firstKeptEntryId: first } = entry;
  return { ...entry, parentId, firstKeptEntryId: first === id ? id : (followers.get(first) ?? first) };
}

/** For each label on the branch the first entry after it that is none: a compaction may keep from a label on. */
function labelFollowers(branch: readonly SessionEntry[]): Map<string, string> {
  const followers = new Map<string, string>();
  let waiting: string[] = [];
  for (const entry of branch) {
    if (entry.type === "label") {
      waiting.push(entry.id);
      continue;
    }
    for (const id of waiting) followers.set(id, entry.id);
    waiting = [];
  }
  return followers;
}
