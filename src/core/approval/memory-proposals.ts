import type { MemoryActor } from "../actor.js";
import type { ChangeCommand, ChangeStatus } from "./change-record.js";

/** A change that an agent proposes. */
export interface MemoryProposal {
  id: string;
  /** `applying`: approved, and a crash has left it so; the next `get`, `approve` or `reject` finishes it. */
  status: ChangeStatus;
  command: ChangeCommand;
  path: string;
  /** rename: the new path. */
  to: string | null;
  /** append: the text to add. update: the text that replaces another. write and edit: the whole text. Null for delete and rename. */
  content: string | null;
  /** update: the text to replace. */
  oldContent: string | null;
  /** Of the text when it was proposed, in the unified format; hidden characters are escaped, and of a long one the start is shown. */
  diff: string;
  /** What it was made against: a digest of the text, or of all that would be deleted or moved. */
  base: string;
  /** Who proposes it. */
  actor: MemoryActor | null;
  at: Date;
  decidedBy: MemoryActor | null;
  decidedAt: Date | null;
  /** Why it was rejected. */
  reason: string | null;
}

/** Who decides. */
export type Reviewer = MemoryActor & { userId: string };

/**
 * The changes that wait for a person. No read of the memory shows them.
 *
 * Ids that are no text are EINVAL, unknown ones ENOENT. A failure of the storage is EIO; the next call then finishes what was begun.
 */
export interface MemoryProposals {
  /** Oldest first. @param options.status default: those that nobody has decided about, and those that a crash has left */
  list(options?: { status?: ChangeStatus }): AsyncIterable<MemoryProposal>;
  /** Null where there is none. */
  get(id: string): Promise<MemoryProposal | null>;
  /**
   * Makes the change, once. With `content`, makes it with another content.
   * @throws ECONFLICT if another has decided, or if what it was made against has changed: the message shows the diff as it would be now
   * @throws what the change itself throws, such as ENOSPC; the proposal then stays open
   */
  approve(id: string, decision: { by: Reviewer; content?: string }): Promise<MemoryProposal>;
  /** @param decision.reason at most 2,000 characters. @throws ECONFLICT if another has decided */
  reject(id: string, decision: { by: Reviewer; reason?: string }): Promise<MemoryProposal>;
}
