import type { CallContext } from "../../../core/runtime/call.js";
import { pickVersionOrigin } from "../../../core/values/actor.js";
import { createVersions } from "../../history/flush.js";
import { recordEdits } from "../../history/record-edits.js";
import type { OwnerDocument, VersionDocument } from "../../history/version-document.js";
import type { Expression } from "../documents/expressions.js";
import { getIncarnation, type MemoryDocument } from "../documents/page-document.js";
import { beginsHistory, type PagedMemory } from "../memory-context.js";
import { listOutboxes, listTexts, noteVersions } from "../outbox/outbox-source.js";
import { getNextRevision, type LoadedChange } from "./loaded-change.js";

/** What a transaction that replaces pages does for the history. */
export interface RecordedVersions {
  /** The versions that it stores. */
  versions: VersionDocument[];
  owner: OwnerDocument;
  /** The last revision in the order of versions. */
  revision: number;
  /** The new fields of each page that is loaded or new. */
  fields: Record<string, Expression>;
  /** The fields that each page loses. */
  removedFields: readonly string[];
  /** The new fields of the head besides. */
  headFields: Record<string, Expression>;
}

/**
 * Makes the versions of a change that replaces pages, and of the outboxes of these pages. Reason: a file may move to
 * another page, which then records its next change. Null if the memory keeps no history. A store without a history does
 * not record its change.
 */
export async function recordReplaced(
  memory: PagedMemory,
  { loaded, edits, at }: LoadedChange,
  head: Pick<MemoryDocument, "key">,
  call: CallContext,
): Promise<RecordedVersions | null> {
  const { history, versions, address, expiry } = memory;
  const { pages, tree } = loaded;
  if (!beginsHistory(memory) && pages.every(({ outbox }) => outbox === undefined)) return null;
  const id = getIncarnation(head);
  const { actor, origin } = call;
  const revision = getNextRevision(loaded);
  const recorded = history && recordEdits(tree, edits);
  const change = recorded && {
    ...recorded,
    revision,
    page: "",
    at,
    actor,
    ...(origin && { origin: pickVersionOrigin(origin) }),
  };
  const before = { memory: id, outboxes: listOutboxes(pages), texts: listTexts(tree) };
  const made = await createVersions(before, change, listTexts(tree.after(edits)), versions, call);
  const until = expiry.versionsExpireAt(address.scope);
  const expiresAt = until && { expiresAt: until.expiresAt };
  return {
    versions: made.map((version) => ({ ...version, ...expiresAt })),
    owner: { _id: id, ...address, ...expiresAt },
    revision,
    fields: { outbox: [], lastVersion: revision },
    removedFields: ["outboxActors"],
    headFields: made.length > 0 ? noteVersions(memory) : {},
  };
}
