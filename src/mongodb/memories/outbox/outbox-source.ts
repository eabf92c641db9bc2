import type { CallContext } from "../../../core/runtime/call.js";
import type { MemoryTree } from "../../../core/tree/memory-tree.js";
import { ROOT } from "../../../core/values/paths.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import { storageError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { inSnapshot, readAtOneMoment, type SnapshotOptions } from "../../driver/snapshot-reads.js";
import { flush } from "../../history/flush.js";
import type { Outbox, PresentMemory, StoredHistory } from "../../history/history-context.js";
import { getRevisionAt, publicId, storedId, versionIdRange } from "../../history/version-document.js";
import {
  bound,
  entriesWhere,
  type Expression,
  isDirectory,
  isOfSeveral,
  literal,
  where,
} from "../documents/expressions.js";
import { getIncarnation, keyOfPath, type MemoryDocument, pathOfKey } from "../documents/page-document.js";
import { getHeadId, parsePageId } from "../documents/page-ids.js";
import { lookUpIncarnation } from "../changing/page-target.js";
import { lookUpPresent, type PagedMemory } from "../memory-context.js";
import {
  findKnownPages,
  learnPages,
  type ListedPage,
  listKnownPages,
  pagesAtOnce,
  selectPages,
} from "../reading/known-pages.js";
import {
  findFormerBounds,
  findHead,
  isHead,
  listDirectoriesAbove,
  type LoadedPage,
  loadInSnapshot,
  loadPages,
} from "../reading/load.js";
import { recordedChange, recordedKeys } from "./outbox.js";

/** A page with its outbox, and the texts of the files that the outbox or the caller names. */
type OutboxPage = LoadedPage & { texts?: { k: string; v: unknown }[]; isDirectory?: true };

type Wanted = Parameters<StoredHistory["read"]>[0];

const maxInt = 2 ** 31 - 1;

const pageFields = { key: 1, lo: 1, hi: 1, revision: 1, outbox: 1, lastVersion: 1 } as const;

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

  read(what: Wanted, call: CallContext): Promise<PresentMemory | null> {
    const { client } = this.#memory;
    return reading(() =>
      readAtOneMoment(async () => {
        await this.#memory.ready();
        for (;;) {
          call.throwIfAborted();
          const alone = findKnownPages(this.#memory) === undefined ? await this.#readHead(what, call) : undefined;
          if (alone !== undefined) return alone;
          const present =
            what === "recorded"
              ? await this.#readRecorded(call)
              : await inSnapshot(client, (moment) => this.#readPages(what, moment, call));
          if (present !== undefined) return present;
        }
      }),
    );
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
  async #readHead(what: Wanted, call: CallContext): Promise<PresentMemory | null | undefined> {
    if (what === "tree") {
      const scope = { paths: [], below: [ROOT], want: "pages", needsHead: true } as const;
      const { head, tree, isPaged } = await loadPages(this.#memory, { ...scope, fields: pageFields }, call);
      if (head === undefined) return null;
      return isPaged ? undefined : { ...this.#describe(head, [head]), ...describeTree([head], tree) };
    }
    const path = typeof what === "object" ? what.path : null;
    const head: OutboxPage | null = await findHead(this.#memory, { ...pageFields, ...projectTexts(path) }, call);
    if (head === null) return null;
    if (head.hi !== undefined) return undefined;
    const texts = readTexts([head]);
    return { ...this.#describe(head, [head]), texts, isDirectory: head.isDirectory === true };
  }

  /** Reads the outboxes of a memory of several pages. Undefined: it has one. */
  async #readRecorded(call: CallContext): Promise<PresentMemory | undefined> {
    const listed = await this.#listPages({}, call);
    if (listed === null) return undefined;
    const found = await this.#findPages(listed, null, {}, call);
    const head = found.find(isHead);
    return head && { ...this.#describe(head, found), texts: readTexts(found) };
  }

  /** Reads a memory of several pages in a snapshot. Undefined: it has one. */
  async #readPages(
    what: Exclude<Wanted, "recorded">,
    moment: SnapshotOptions,
    call: CallContext,
  ): Promise<PresentMemory | undefined> {
    if (what === "tree") {
      const fields = { ...pageFields, now: "$$NOW" };
      const scope = { paths: [], below: [ROOT], want: "pages", needsHead: true, fields } as const;
      const { head, tree, pages, isPaged } = await loadInSnapshot(this.#memory, scope, moment, call);
      if (head === undefined || !isPaged) return undefined;
      const described = this.#describe(head, pages);
      const moved = await this.#readMoved(described, head, moment, call);
      return { ...described, ...describeTree(pages, tree), moved };
    }
    const listed = await this.#listPages(moment, call);
    if (listed === null) return undefined;
    const path = typeof what === "object" ? what.path : null;
    const found = await this.#findPages(listed, path, moment, call);
    const head = found.find(isHead);
    if (head === undefined) return undefined;
    const described = this.#describe(head, found, listed);
    const isAbove = path !== null && listed.some((page) => listDirectoriesAbove(page).includes(path));
    return {
      ...described,
      texts: readTexts(found),
      isDirectory: isAbove || found.some((page) => page.isDirectory === true),
      moved: await this.#readMoved(described, head, moment, call),
    };
  }

  /** Lists the pages, mostly from an index alone. Null: there is none, or one. */
  async #listPages(moment: object, call: CallContext): Promise<ListedPage[] | null> {
    const listed = await listKnownPages(this.#memory, moment, call);
    if (listed !== null) return [listed.head, ...listed.others];
    const head = await findHead<ListedPage>(this.#memory, { revision: 1, recorded: 1, lastVersion: 1 }, call, moment);
    const others = await learnPages(this.#memory, head, moment, call);
    return head?.hi === undefined ? null : [head, ...others];
  }

  /** Reads the head, the pages with changes in their outboxes, and the page of a path. */
  async #findPages(
    listed: readonly ListedPage[],
    path: string | null,
    moment: object,
    call: CallContext,
  ): Promise<OutboxPage[]> {
    const ofPath = path === null ? [] : selectPages(listed, { paths: [path], below: [] });
    const needed = listed.filter((page) => isHead(page) || (page.recorded ?? 0) > 0 || ofPath.includes(page));
    const projection = { ...pageFields, ...projectTexts(path), now: "$$NOW" };
    const filter = { _id: { $in: needed.map(({ _id }) => _id) } };
    const options = { projection, batchSize: pagesAtOnce, ...moment };
    return this.#memory.collection.find<OutboxPage>(filter, call, options).toArray();
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
    head: LoadedPage,
    loaded: readonly LoadedPage[],
    all: readonly Pick<ListedPage, "_id" | "revision" | "lastVersion">[] = loaded.map(toListed),
  ): Pick<PresentMemory, "documentId" | "memory" | "owner" | "revisions" | "lastRevision" | "outboxes"> {
    const memory = getIncarnation(head);
    return {
      documentId: lookUpIncarnation(head),
      memory,
      owner: { _id: memory, ...this.#memory.address },
      revisions: new Map(all.map(({ _id, revision }) => [_id, revision])),
      lastRevision: Math.max(...all.flatMap(({ revision, lastVersion }) => [revision, lastVersion ?? 0])),
      outboxes: listOutboxes(loaded),
    };
  }
}

function toListed({ _id, revision = 0, lastVersion = 0 }: LoadedPage): {
  _id: string;
  revision: number;
  lastVersion: number;
} {
  return { _id, revision, lastVersion };
}

/** Returns the outboxes of pages that are not empty. */
export function listOutboxes(pages: readonly Pick<MemoryDocument, "_id" | "outbox">[]): Outbox[] {
  return pages.flatMap(({ _id, outbox = [] }) => {
    const token = parsePageId(_id)?.token ?? "";
    return outbox.length === 0 ? [] : [{ pageId: _id, changes: outbox.map((change) => recordedChange(change, token)) }];
  });
}

/** Returns the fields by which a head says that its memory has versions in the collection. */
export function noteVersions({ clock, expiry, address }: PagedMemory): Record<string, Expression> {
  const until = expiry.versionsExpireAt(address.scope, clock());
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

function projectTexts(path: string | null): Record<string, Expression> {
  const isWanted = path === null ? [] : [{ $eq: ["$$entry.k", literal(keyOfPath(path))] }];
  return {
    // Without the variable the server would collect the keys again for each file.
    texts: bound(
      [["keys", recordedKeys]],
      entriesWhere("$data", { $or: [{ $in: ["$$entry.k", "$$keys"] }, ...isWanted] }),
    ),
    ...(path !== null && path !== ROOT && { isDirectory: isDirectory(path) }),
  };
}

function readTexts(pages: readonly OutboxPage[]): Map<string, string> {
  const entries = pages.flatMap(({ texts = [] }) => texts);
  return new Map(entries.flatMap(({ k, v }) => (typeof v === "string" ? [[pathOfKey(k), v] as const] : [])));
}

export function listTexts({ files }: MemoryTree): Map<string, string> {
  return new Map(Array.from(files.values(), ({ path, content }) => [path, content]));
}

function describeTree(
  pages: readonly LoadedPage[],
  tree: MemoryTree,
): Pick<PresentMemory, "texts" | "tree" | "formerBounds"> {
  return { texts: listTexts(tree), tree: tree.snapshot(), formerBounds: findFormerBounds(pages, tree) };
}

/**
 * Moves recorded changes from the pages of a memory into the collection of versions.
 * @returns whether there were any
 */
export function moveVersions(memory: PagedMemory, call: CallContext): Promise<boolean> {
  const { expiry, versions, clock, address } = memory;
  const expiresAt = expiry.versionsExpireAt(address.scope, clock())?.expiresAt ?? null;
  return flush(new OutboxSource(memory), versions, expiresAt, call);
}
