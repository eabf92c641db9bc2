import {
  checkAddress,
  checkId,
  type CheckedAddress,
  isMemoryScope,
  type MemoryScope,
  memoryScopes,
  type OwnerField,
  getOwnerScope,
} from "../../../core/values/address.js";
import { type ChangeStatus, changeStatuses } from "../../../core/contract/change-record.js";
import { invalid } from "../../../core/values/errors.js";
import { preview, shorten } from "../../../core/values/text.js";
import { isRecord } from "../../../core/values/unknown-values.js";
import type { AddressRange } from "./address-ranges.js";

/** The memories to list: those that match all fields. Without fields, all memories. */
export interface MemoryFilter {
  nodeId?: string;
  scope?: MemoryScope;
  threadId?: string;
  userId?: string;
}

/** The memories of all nodes for a thread or for a user. */
export type MemoryOwner = { threadId: string } | { userId: string };

/** A memory, without its texts. */
export interface MemorySummary {
  address: CheckedAddress;
  /** Size in bytes of the stored document without recorded history. */
  sizeBytes: number;
  /** Size in bytes of the texts of all files. */
  textBytes: number;
  /** The number of files. */
  files: number;
  createdAt: Date;
  /** The time of the last change of anything in the memory. */
  updatedAt: Date;
}

/** Numbers of the erased memories, files, versions and proposals. */
export interface ForgottenCounts {
  memories: number;
  files: number;
  versions: number;
  proposals: number;
  /**
   * What still mentions the thread or the user. Missing for an address, if nobody asked for it, and if the time of the
   * call or the rights of the database user did not suffice.
   */
  mentions?: Mentions;
}

/** The texts and paths that still mention a forgotten thread or user. At most 10,000 of each kind are counted. */
export interface Mentions {
  /** Number of memories with such a file, version or proposal. `history.findText` shows where. */
  memories: number;
  /** The first 20 of these memories. */
  addresses: CheckedAddress[];
  /** Number of such proposals, and of other changes that a run has asked a person about. */
  proposals: number;
  /** Number of such items of the store outside of memories. */
  items: number;
}

/** Options of `forget`. */
export interface ForgetOptions {
  /**
   * Whether to look through the texts of all memories and items for the thread or the user: at most 0.3 of `timeoutMs`.
   * @default true
   */
  mentions?: boolean;
}

/** Number of the expired memories that were removed. */
export interface SweptCounts {
  memories: number;
}

/** The proposals to list: those of memories that match all fields. */
export interface ProposalFilter extends MemoryFilter {
  /** @default proposals that still wait, or that a crash has interrupted */
  status?: ChangeStatus;
}

const fields = ["nodeId", "scope", "threadId", "userId"] as const satisfies (keyof MemoryFilter)[];

/** Returns the ranges that contain the matching memories, in the order of scopes. @throws MemoryError EINVAL */
export function checkMemoryFilter(filter: unknown): AddressRange[] {
  return getRanges(checkFields(filter, "a filter of memories"));
}

/** The memories of all scopes or of one, and the statuses of their proposals. */
export interface ProposalRange {
  memories: Partial<AddressRange>;
  statuses: readonly ChangeStatus[];
}

/** @throws MemoryError EINVAL */
export function checkProposalFilter(filter: unknown): ProposalRange {
  const { status, ...memoryFields } = checkFields(filter, "a filter of proposals", [...fields, "status"]);
  const wanted = changeStatuses.filter((each) => (status === undefined ? isWaiting(each) : each === status));
  if (wanted.length === 0)
    throw invalid(`status must be one of ${changeStatuses.join(", ")} (given ${preview(status)})`);
  const [range, ...others] = getRanges(memoryFields);
  // Several ranges differ in their scope only.
  const { scope: _scope, ...ids } = { ...range };
  return { memories: others.length === 0 ? { ...range } : ids, statuses: wanted };
}

function isWaiting(status: ChangeStatus): boolean {
  return status === "pending" || status === "applying";
}

function getRanges({ scope, nodeId, ...owner }: Fields): AddressRange[] {
  const field = findOwnerField(owner);
  const scopes = field === null ? memoryScopes : [getOwnerScope(field)];
  if (scope !== undefined && !isMemoryScope(scope))
    throw invalid(`scope must be "global", "perThread" or "perUser" (given ${preview(scope)})`);
  if (field !== null && scope !== undefined && !scopes.includes(scope)) {
    throw invalid(
      `memories of scope "${scope}" have no ${field === "userId" ? "user" : "thread"}; leave one of the two out, or ` +
        `pass the scope "${getOwnerScope(field)}"`,
    );
  }
  const ids = { ...(nodeId !== undefined && { nodeId: checkId(nodeId, "nodeId") }), ...checkOwner(owner, field) };
  return scopes.filter((each) => scope === undefined || each === scope).map((each) => ({ scope: each, ...ids }));
}

/**
 * Returns the memories of an address, or of a thread or user in all nodes. Never all memories.
 * @throws MemoryError EINVAL
 */
export function checkForgotten(who: unknown): AddressRange {
  const { nodeId, scope, ...owner } = checkFields(who, "the target of forget");
  if (nodeId !== undefined || scope !== undefined) return { ...checkAddress(who) };
  const field = findOwnerField(owner);
  if (field === null)
    throw invalid("nothing is named that is to be forgotten; pass the address of a memory, { userId } or { threadId }");
  return { scope: getOwnerScope(field), ...checkOwner(owner, field) };
}

type Fields = Partial<Record<keyof MemoryFilter, unknown>>;

/** Refuses an undefined id as a mistake of the caller: if it were ignored, the filter would match everybody. */
function checkFields(given: unknown, what: string, known: readonly string[] = fields): Fields & { status?: unknown } {
  if (!isRecord(given)) {
    throw invalid(
      `${what} is an object with some of ${known.join(", ")} (given ${given === null ? "null" : typeof given})`,
    );
  }
  for (const [field, value] of Object.entries(given)) {
    if (!known.includes(field)) {
      throw invalid(`unknown field of ${what}: ${shorten(field, 64)}; the fields are ${known.join(", ")}`);
    }
    if (value === undefined) throw invalid(`${field} is undefined; pass an id, or leave the field out`);
  }
  return given;
}

function findOwnerField({ threadId, userId }: Partial<Record<OwnerField, unknown>>): OwnerField | null {
  if (threadId !== undefined && userId !== undefined) {
    throw invalid("no memory has both a thread and a user; leave threadId or userId out");
  }
  if (threadId !== undefined) return "threadId";
  return userId === undefined ? null : "userId";
}

function checkOwner(
  owner: Partial<Record<OwnerField, unknown>>,
  field: OwnerField | null,
): Partial<Record<OwnerField, string>> {
  return field === null ? {} : { [field]: checkId(owner[field], field) };
}
