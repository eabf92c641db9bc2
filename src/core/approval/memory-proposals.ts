import type { MemoryActor, ChangeOrigin } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import type { ChangeCommand, ChangeStatus } from "../contract/change-record.js";

/** A change that an agent proposes. */
export interface MemoryProposal {
  id: string;
  /** `applying`: approved, but a crash has interrupted it. The next `get`, `approve` or `reject` finishes it. */
  status: ChangeStatus;
  command: ChangeCommand;
  /** "" if it is redacted, as the new path. */
  path: string;
  /** rename: the new path. */
  to: string | null;
  /**
   * append: the text to add. update: the text that replaces another. write and edit: the whole text. Null for delete
   * and rename.
   */
  content: string | null;
  /** update: the text to replace. */
  oldContent: string | null;
  /**
   * A diff for people against the text at the time of the proposal: a missing newline at the end is no change of a
   * line. Hidden characters are escaped. Long diffs are cut; only the start is kept. "" if it is redacted.
   */
  diff: string;
  /**
   * The text of the agent, if the person who approved stored other words. `content` and `diff` are then those of the
   * person.
   */
  proposed?: { content: string | null; diff: string };
  /**
   * A digest of the state that the proposal was made for: the text, or everything that would be deleted or moved. "" if
   * it is redacted.
   */
  base: string;
  /**
   * The basis of a proposal of `learn`: the reason that the model gave, the ids of versions and messages, the lowest
   * trust of their authors, and the name of the model.
   */
  origin?: ChangeOrigin;
  /** The author of the proposal. */
  actor: MemoryActor | null;
  at: Date;
  decidedBy: MemoryActor | null;
  decidedAt: Date | null;
  /** The reason of a rejection. */
  reason: string | null;
}

/** A proposal with the address of its memory, without its texts. `get` of the memory's proposals has the texts. */
export interface ProposalSummary extends Omit<
  MemoryProposal,
  "content" | "oldContent" | "diff" | "proposed" | "base" | "origin"
> {
  address: CheckedAddress;
}

/** The person who decides. */
export type Reviewer = MemoryActor & { userId: string };

/**
 * The changes that wait for a person. Reads of the memory do not show them.
 *
 * An id that is not a text is EINVAL, and an unknown id is ENOENT. If the storage fails, the call is EIO, and the next
 * call finishes the work.
 */
export interface MemoryProposals {
  /** Lists oldest first. @param options.status default: proposals that still wait, or that a crash has interrupted */
  list(options?: { status?: ChangeStatus }): AsyncIterable<MemoryProposal>;
  /** Returns null if there is no such proposal. */
  get(id: string): Promise<MemoryProposal | null>;
  /**
   * Makes the change once. If `content` is given, stores it instead of the proposed content.
   * @throws ECONFLICT if somebody has already decided, or if the file has changed since: the message then shows the new
   * diff
   * @throws the errors of the change itself, such as ENOSPC; the proposal then stays open
   */
  approve(id: string, decision: { by: Reviewer; content?: string }): Promise<MemoryProposal>;
  /** @param decision.reason at most 2,000 characters. @throws ECONFLICT if somebody has already decided */
  reject(id: string, decision: { by: Reviewer; reason?: string }): Promise<MemoryProposal>;
}
