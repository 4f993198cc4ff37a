/** The entries of a session that holds one branch of another. */
import type { DrawEntryId } from "../format/ids.ts";
import type { LabelEntry, SessionEntry } from "../format/types.ts";
import type { ResolvedLabel } from "./entry-tree.ts";

/**
 * The branch without its label entries, chained anew, and then one label entry for each label in force on it. Not its
 * own label entries, because labels may have been set on another branch, or have been changed since.
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

/**
 * Entries below a label become children of the entry above it. A compaction whose first kept entry is a label gets the
 * entry after the label instead.
 */
function chainWithoutLabels(branch: readonly SessionEntry[]): SessionEntry[] {
  const followers = new Map<string, string>();
  const kept: SessionEntry[] = [];
  let labels: string[] = [];
  let parentId: string | null = null;
  for (const entry of branch) {
    if (entry.type === "label") {
      labels.push(entry.id);
      continue;
    }
    for (const label of labels) followers.set(label, entry.id);
    labels = [];
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
  const { firstKeptEntryId: first } = entry;
  return { ...entry, parentId, firstKeptEntryId: followers.get(first) ?? first };
}
