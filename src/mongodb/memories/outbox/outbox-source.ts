import type { CallContext } from "../../../core/runtime/call.js";
import type { ChangeScope } from "../../../core/tree/change.js";
import type { MemoryTree } from "../../../core/tree/memory-tree.js";
import { ROOT } from "../../../core/values/paths.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import { storageError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { inSnapshot, type SnapshotOptions } from "../../driver/snapshot-reads.js";
import { flush } from "../../history/flush.js";
import type { LoadedPart, Outbox, PresentMemory, PresentPart, StoredHistory } from "../../history/history-context.js";
import { getRevisionAt, publicId, storedId, versionIdRange } from "../../history/version-document.js";
import { bound, entriesWhere, type Expression, isOfSeveral, where } from "../documents/expressions.js";
import { getIncarnation, type MemoryDocument, pathOfKey } from "../documents/page-document.js";
import { getHeadId, parsePageId } from "../documents/page-ids.js";
import { lookUpIncarnation } from "../changing/page-target.js";
import { lookUpPresent, type PagedMemory } from "../memory-context.js";
import { findKnownPages, type ListedPage } from "../reading/known-pages.js";
import {
  findFormerBounds,
  isHead,
  type ListedPages,
  type LoadedPage,
  loadFromHead,
  loadInSnapshot,
  loadPages,
  findPages,
  readMemory,
} from "../reading/load.js";
import type { LoadScope } from "../reading/load-scope.js";
import { recordedChange, recordedKeys } from "./outbox.js";

/** A page with its outbox, and the texts that the outbox needs. */
type OutboxPage = LoadedPage & { recordedTexts?: { k: string; v: string }[] };

type ListedRevision = Pick<OutboxPage, "_id" | "revision"> & Partial<Pick<ListedPage, "lastVersion">>;

const maxInt = 2 ** 31 - 1;

const outboxFields = { key: 1, lo: 1, hi: 1, revision: 1, outbox: 1, lastVersion: 1, now: "$$NOW" } as const;

/**
 * The longest time of a command or a transaction. Its version has the time at which it began, so later versions of other
 * pages can be in the collection before it.
 */
const longestMs = 60_000;

/** The usual longest time. */
const usualMs = 2000;

/** Does not wait for a majority or the journal: if a crash undoes the update, the next call repeats it. */
const settling = { writeConcern: { w: 1, journal: false } } as const;

/** The changes that the pages of a memory contain. */
export class OutboxSource implements StoredHistory {
  readonly #memory: PagedMemory;

  constructor(memory: PagedMemory) {
    this.#memory = memory;
  }

  read(part: PresentPart, call: CallContext): Promise<PresentMemory | null> {
    const memory = this.#memory;
    return readMemory(memory, async () => {
      for (;;) {
        call.throwIfAborted();
        const alone = findKnownPages(memory) === undefined ? await this.#readHead(part, call) : undefined;
        if (alone !== undefined) return alone;
        const present =
          part === "recorded"
            ? await this.#readPages(part, null, call)
            : await inSnapshot(memory.client, (moment) => this.#readPages(part, moment, call));
        if (present !== undefined) return present;
      }
    });
  }

  async load(part: ChangeScope, call: CallContext): Promise<LoadedPart | null> {
    const scope = { ...part, forChange: true, needsHead: true };
    const { head, pages, tree } = await loadPages(this.#memory, scope, call);
    if (head === undefined) return null;
    const revisions = listRevisions(pages);
    return { memory: getIncarnation(head), revisions, tree, texts: listTexts(tree, part.paths) };
  }

  async settle({ outboxes, documentId }: PresentMemory, call: CallContext): Promise<boolean> {
    const { collection, address } = this.#memory;
    const headId = getHeadId(address);
    const others = outboxes.filter(({ pageId }) => pageId !== headId);
    const own = outboxes.find(({ pageId }) => pageId === headId);
    try {
      // The head comes first: a forget in between finds by it that there are versions.
      const update = [{ $set: noteVersions(this.#memory) }, ...(own === undefined ? [] : cutOutbox(own))];
      const { matchedCount } = await collection.updateOne(documentId, update, call, settling);
      const updates = others.map((outbox) => ({
        updateOne: { filter: { _id: outbox.pageId }, update: cutOutbox(outbox) },
      }));
      if (updates.length > 0) await collection.bulkWrite(updates, call, settling);
      return matchedCount > 0;
    } catch (error) {
      throw storageError(error, "write", null);
    }
  }

  async renew(call: CallContext): Promise<void> {
    // A document of the earlier system has no revision and no versions.
    const filter = { ...lookUpPresent(this.#memory), revision: { $exists: true } };
    try {
      await this.#memory.collection.updateOne(filter, { $inc: { revision: 1 } }, call);
    } catch (error) {
      throw storageError(error, "write", null);
    }
  }

  /** @throws MemoryError EIO */
  async flush(call: CallContext): Promise<void> {
    await reading(() => moveVersions(this.#memory, call));
  }

  /** Reads a memory of one page. Undefined: it has several. */
  async #readHead(part: PresentPart, call: CallContext): Promise<PresentMemory | null | undefined> {
    const loaded = await loadFromHead(this.#memory, createScope(part), call);
    if (loaded === null || loaded.isPaged) return undefined;
    const { head } = loaded;
    return head === undefined ? null : this.#describe(part, head, { ...loaded, listed: [head] });
  }

  /** Reads a memory of several pages. Undefined: it has one. */
  async #readPages(
    part: PresentPart,
    moment: SnapshotOptions | null,
    call: CallContext,
  ): Promise<PresentMemory | undefined> {
    const scope = createScope(part);
    const loaded = await loadInSnapshot(this.#memory, scope, moment ?? {}, call);
    if (!loaded.isPaged) return undefined;
    const pages = [...loaded.pages, ...(await this.#findOutboxes(scope, loaded, moment ?? {}, call))];
    const head = pages.find(isHead);
    if (head === undefined) return undefined;
    const present = this.#describe(part, head, { ...loaded, pages });
    return moment === null ? present : { ...present, moved: await this.#readMoved(present, head, moment, call) };
  }

  /** Reads the head and the pages with changes in their outboxes, if the scope has not loaded them. */
  async #findOutboxes(
    { fields = {} }: LoadScope,
    { pages, listed }: ListedPages,
    moment: object,
    call: CallContext,
  ): Promise<OutboxPage[]> {
    const loaded = new Set(pages.map(({ _id }) => _id));
    const needed = listed.filter((page) => !loaded.has(page._id) && (isHead(page) || (page.recorded ?? 0) > 0));
    const ids = needed.map(({ _id }) => _id);
    return findPages<Pick<OutboxPage, "recordedTexts">>(this.#memory, ids, fields, moment, call);
  }

  /** Reads the versions that others may have moved although older changes are still in an outbox. */
  async #readMoved(
    { memory, outboxes }: Pick<PresentMemory, "memory" | "outboxes">,
    { now = new Date(longestMs) }: LoadedPage,
    moment: SnapshotOptions,
    call: CallContext,
  ): Promise<NonNullable<PresentMemory["moved"]>> {
    const firsts = outboxes.flatMap(({ changes: [first] }) => (first ? [storedId(memory, publicId(first, 0))] : []));
    const idBefore = (ms: number): string => storedId(memory, String(getRevisionAt(new Date(now.getTime() - ms))));
    const [start = ""] = [idBefore(longestMs), ...firsts].toSorted(compareCodeUnits);
    const ids = { $gte: start, $lt: versionIdRange(memory).$lt };
    return { start, settled: idBefore(usualMs), versions: await this.#memory.versions.findMoved(ids, moment, call) };
  }

  #describe(
    part: PresentPart,
    head: LoadedPage,
    { tree, pages, listed }: Pick<ListedPages, "tree" | "pages"> & { listed: readonly ListedRevision[] },
  ): PresentMemory {
    const memory = getIncarnation(head);
    return {
      documentId: lookUpIncarnation(head),
      memory,
      owner: { _id: memory, ...this.#memory.address },
      revisions: listRevisions(listed),
      lastRevision: Math.max(...listed.flatMap(({ revision = 0, lastVersion }) => [revision, lastVersion ?? 0])),
      outboxes: listOutboxes(pages),
      tree,
      texts: readTexts(part, pages, tree),
      ...(part === "tree" && { formerBounds: findFormerBounds(pages, tree) }),
    };
  }
}

function listRevisions(pages: readonly ListedRevision[]): Map<string, number> {
  return new Map(pages.map(({ _id, revision = 0 }) => [_id, revision]));
}

/** Returns the outboxes of pages that are not empty. */
export function listOutboxes(pages: readonly Pick<MemoryDocument, "_id" | "outbox">[]): Outbox[] {
  return pages.flatMap(({ _id, outbox = [] }) => {
    const token = parsePageId(_id)?.token ?? "";
    return outbox.length === 0 ? [] : [{ pageId: _id, changes: outbox.map((change) => recordedChange(change, token)) }];
  });
}

/** Returns the fields by which a head says that its memory has versions in the collection. */
export function noteVersions({ expiry, address }: PagedMemory): Record<string, Expression> {
  const until = expiry.versionsExpireAt(address.scope);
  return { hasVersions: true, ...(until && { versionsExpireAt: { $min: ["$versionsExpireAt", until.expiresAt] } }) };
}

/** Removes the first changes of an outbox, unless another process has removed them: no two have the same revision. */
function cutOutbox({ changes }: Outbox): object[] {
  const isFirst: Expression = { $eq: [{ $arrayElemAt: ["$outbox.revision", 0] }, changes[0]?.revision ?? null] };
  const outbox = where(isFirst, { $slice: ["$outbox", changes.length, maxInt] }, "$outbox");
  const rest: Expression = { $ifNull: ["$outbox", []] };
  return [
    { $set: { outbox } },
    {
      $set: {
        outboxActors: where({ $eq: [rest, []] }, "$$REMOVE", "$outboxActors"),
        recorded: where(isOfSeveral(), { $size: rest }, "$$REMOVE"),
      },
    },
  ];
}

/** The texts of the files of recorded changes. */
const recordedTexts: Expression = bound(
  // Without the variable the server would collect the keys again for each file.
  [["keys", recordedKeys]],
  entriesWhere("$data", { $in: ["$$entry.k", "$$keys"] }),
);

function createScope(part: PresentPart): LoadScope {
  if (part === "outbox" || part === "recorded")
    return { paths: [], below: [], fields: { ...outboxFields, recordedTexts } };
  if (part === "tree") return { paths: [], below: [ROOT], want: "pages", needsHead: true, fields: outboxFields };
  const needsHead = part.paths.length + part.below.length > 0;
  return { ...part, needsHead, forChange: true, fields: outboxFields };
}

function readTexts(part: PresentPart, pages: readonly OutboxPage[], tree: MemoryTree): Map<string, string> {
  if (part === "tree") return listTexts(tree);
  // What is only below a directory of the scope has no text.
  if (typeof part === "object") return listTexts(tree, part.paths);
  const entries = pages.flatMap((page) => page.recordedTexts ?? []);
  return new Map(entries.map(({ k, v }) => [pathOfKey(k), v]));
}

/** @param paths of missing files, too. @default all */
export function listTexts({ files }: MemoryTree, paths: Iterable<string> = files.keys()): Map<string, string> {
  return new Map(
    Array.from(paths, (path) => files.get(path)).flatMap((file) => (file ? [[file.path, file.content]] : [])),
  );
}

/**
 * Moves recorded changes from the pages of a memory into the collection of versions.
 * @returns whether there were any
 */
export function moveVersions(memory: PagedMemory, call: CallContext): Promise<boolean> {
  const { expiry, versions, address } = memory;
  const expiresAt = expiry.versionsExpireAt(address.scope)?.expiresAt ?? null;
  return flush(new OutboxSource(memory), versions, expiresAt, call);
}
