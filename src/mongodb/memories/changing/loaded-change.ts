import type { CallContext } from "../../../core/runtime/call.js";
import type { ChangeScope } from "../../../core/tree/change.js";
import type { TreeEdits } from "../../../core/tree/memory-tree.js";
import { createRecord } from "../../driver/records.js";
import { type Expression, literal } from "../documents/expressions.js";
import { getRevisionAt } from "../../history/version-document.js";
import type { PagedMemory } from "../memory-context.js";
import { findKnownPages, selectPages } from "../reading/known-pages.js";
import { type LoadedPages, loadPages } from "../reading/load.js";
import type { CallOutcome } from "./made-calls.js";

/** The part that a change loads, and how it is stored. */
export interface StorageScope extends ChangeScope {
  /**
   * Whether the change needs the texts below the directories of the scope. Texts of its paths are always loaded.
   * @default with a history, which records the texts of deleted files
   */
  needsTexts?: boolean;
  /** Whether no other change of the page may come between, not even of other files. @default false */
  isExact?: boolean;
  /** The id of an approved change. If there are edits, the memory records the id in the same step. */
  approvalId?: string;
  /** The identities of the changes. If there are edits, the pages keep them in the same step. */
  changeIds?: readonly string[];
}

/** The edits of one change, with the part of the memory for which they were made. */
export interface LoadedChange {
  scope: StorageScope;
  loaded: LoadedPages;
  edits: TreeEdits;
  /** The result that the pages keep if the change has an identity. */
  outcome?: CallOutcome | undefined;
  at: Date;
}

/**
 * "stored": the edits are made. In all other cases nothing was changed, and the memory must be loaded again. "conflict":
 * others have changed what was loaded. "needsWholePages": the change must replace whole pages. "reload": the memory has
 * another form now.
 */
export type StoreOutcome = "stored" | "conflict" | "reload" | "needsWholePages";

/** Whether a change concerns several pages, as far as this process knows. */
export function isOfSeveralPages(memory: PagedMemory, scope: StorageScope): boolean {
  const known = findKnownPages(memory);
  return known !== undefined && selectPages(known.pages, scope).length > 1;
}

/** @param replacesPages whether the change replaces whole pages */
export function loadForChange(
  memory: PagedMemory,
  scope: StorageScope,
  replacesPages: boolean,
  call: CallContext,
): Promise<LoadedPages> {
  const { paths, below, approvalId, changeIds, needsTexts = memory.history !== null } = scope;
  const want = replacesPages || (needsTexts && below.length > 0) ? "pages" : "paths";
  const needsHead = replacesPages || changesHead(memory, scope);
  // A store without a history moves what others have recorded, too.
  const fields = { lastVersion: 1, versionsExpireAt: 1, ...(replacesPages && { outbox: 1, now: "$$NOW" }) };
  return loadPages(memory, { paths, below, want, needsHead, forChange: true, approvalId, changeIds, fields }, call);
}

/** Whether a change changes the head too: the head has the approvals, and a limit counts all pages. */
export function changesHead({ limits }: PagedMemory, { approvalId }: StorageScope): boolean {
  return approvalId !== undefined || limits.isLimited === true;
}

/**
 * Returns the revision of the next version, which follows those of the loaded pages. Pages of several count on from the
 * time of the server.
 */
export function getNextRevision({ pages, isPaged }: LoadedPages): number {
  const last = pages.map(({ revision = 0, lastVersion = 0, now }) =>
    Math.max(revision, lastVersion, isPaged && now !== undefined ? getRevisionAt(now) : 0),
  );
  return Math.max(0, ...last) + 1;
}

export function createApprovalFields({ approvalId }: StorageScope): Expression {
  if (approvalId === undefined) return {};
  return { applied: { $mergeObjects: ["$applied", literal(createRecord([[approvalId, true]]))] } };
}

/** Returns the time of creation of a memory that edits create. */
export function findFirstTime({ edits: { files }, at }: LoadedChange): Date {
  return files.reduce((first, { createdAt }) => (createdAt < first ? createdAt : first), at);
}

export function toStoreOutcome(isMade: boolean): StoreOutcome {
  return isMade ? "stored" : "conflict";
}
