import { defaultSessionDirPath } from "../config/pi.ts";
import { pathsEqual } from "../files/paths.ts";
import type { SessionContext, SessionProjection } from "../format/context.ts";
import type { SessionEntry, SessionHeader } from "../format/types.ts";
import { type SessionTreeNode, treeNodes } from "./entry-tree.ts";
import type { OpenSession, Place } from "./open-session.ts";

/**
 * The questions to one open session, in pi's words. Entries are handed out as they stand in the file, which nobody has
 * validated: any field may be missing in a damaged one.
 */
export abstract class SessionReader {
  protected readonly place: Place;
  protected session: OpenSession;

  protected constructor(place: Place, session: OpenSession) {
    this.place = place;
    this.session = session;
  }

  /** Whether the session is kept in a file. */
  isPersisted(): boolean {
    return this.place.persist;
  }

  /** Absolute. */
  getCwd(): string {
    return this.place.cwd;
  }

  /** Where new sessions and branches are kept; empty for a session in memory. */
  getSessionDir(): string {
    return this.place.sessionDir;
  }

  usesDefaultSessionDir(): boolean {
    return pathsEqual(this.place.sessionDir, defaultSessionDirPath(this.place.cwd));
  }

  getSessionId(): string {
    return this.session.id;
  }

  /** The path of the session's file, which is created with the first message of a user or a model. */
  getSessionFile(): string | undefined {
    return this.session.file?.path;
  }

  /** The parent of the next entry; null before the first. */
  getLeafId(): string | null {
    return this.session.leafId;
  }

  getLeafEntry(): SessionEntry | undefined {
    const { leafId, tree } = this.session;
    return leafId ? tree.get(leafId) : undefined;
  }

  /** The entry with an id; of several the last. */
  getEntry(id: string): SessionEntry | undefined {
    return this.session.tree.get(id);
  }

  /** The entries directly below another. */
  getChildren(parentId: string): SessionEntry[] {
    return this.session.tree.children(parentId);
  }

  getLabel(id: string): string | undefined {
    return this.session.tree.label(id)?.label;
  }

  /** The path from the root to an entry, or to the leaf; empty for an unknown id. */
  getBranch(fromId?: string): SessionEntry[] {
    const id = fromId ?? this.session.leafId;
    return id ? this.session.tree.branch(id) : [];
  }

  /** The entries of the branch that the model's context is made of, in its order. */
  buildContextEntries(): SessionEntry[] {
    return this.session.tree.contextEntries(this.session.leafId);
  }

  /** The model's context, with the entry each message comes from. */
  buildSessionProjection(): SessionProjection {
    return this.session.tree.projection(this.session.leafId);
  }

  /** What the model sees at the leaf, and the model and thinking level in force. */
  buildSessionContext(): SessionContext {
    return this.session.tree.context(this.session.leafId);
  }

  getHeader(): SessionHeader | null {
    return this.session.tree.header;
  }

  /** All entries in file order, without the header. The array is the caller's. */
  getEntries(): SessionEntry[] {
    return this.session.tree.entries();
  }

  /** How many different ids there are. */
  getEntryCount(): number {
    return this.session.tree.size;
  }

  /** The entries as trees, children oldest first, labels resolved. */
  getTree(): SessionTreeNode[] {
    return treeNodes(this.session.tree);
  }

  /** The name that the user gave the session; undefined where there is none or it was cleared. */
  getSessionName(): string | undefined {
    return this.session.tree.name();
  }
}
