import type { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { ROOT } from "../../../core/values/paths.js";
import { storageError } from "../../driver/errors.js";
import { reading } from "../../driver/reads.js";
import { inSnapshot, readAtOneMoment, type SnapshotOptions } from "../../driver/snapshot-reads.js";
import { flush } from "../../history/flush.js";
import { bound, entriesWhere, type Expression, isDirectory, literal, where } from "../documents/expressions.js";
import { findKnownPages } from "../reading/known-pages.js";
import { findFormerBounds, findHead, loadInSnapshot, type LoadedPage, loadPages } from "../reading/load.js";
import { getIncarnation, keyOfPath, type MemoryDocument, pathOfKey } from "../documents/page-document.js";
import { lookUpIncarnation } from "../changing/page-target.js";
import { lookUpPresent, type PagedMemory } from "../memory-context.js";
import { recordedChange, recordedKeys } from "./outbox.js";
import type { PresentMemory, StoredHistory } from "../../history/history-context.js";

interface OutboxHead extends LoadedPage {
  texts?: { k: string; v: unknown }[];
  isDirectory?: true;
}

const maxInt = 2 ** 31 - 1;

const headFields = { revision: 1, outbox: 1 } as const;

/** The changes that the head of a memory contains. */
export class OutboxSource implements StoredHistory {
  readonly #memory: PagedMemory;

  constructor(memory: PagedMemory) {
    this.#memory = memory;
  }

  async read(what: "outbox" | "tree" | { path: string }, call: CallContext): Promise<PresentMemory | null> {
    if (what === "tree") return this.#readTree(call);
    const path = typeof what === "object" ? what.path : null;
    if (findKnownPages(this.#memory) !== undefined) return this.#readPages(path, call);
    const head = await this.#findHead(path, null, call);
    if (head === null) return null;
    if (head.revision === undefined) return this.#readTree(call);
    if (head.hi !== undefined) return this.#readPages(path, call);
    const textsByPath = new Map(
      (head.texts ?? []).flatMap(({ k, v }) => (typeof v === "string" ? [[pathOfKey(k), v] as const] : [])),
    );
    return { ...describeMemory(this.#memory, head), texts: textsByPath, isDirectory: head.isDirectory === true };
  }

  async settle({ documentId, changes }: PresentMemory, call: CallContext): Promise<boolean> {
    const { collection, clock, expiry } = this.#memory;
    const until = expiry.versionsExpireAt(this.#memory.address.scope, clock());
    // Another process may have removed the changes already: no two changes have the same revision.
    const isFirst: Expression = { $eq: [{ $arrayElemAt: ["$outbox.revision", 0] }, changes[0]?.revision ?? null] };
    const update = [
      {
        $set: {
          outbox: where(isFirst, { $slice: ["$outbox", changes.length, maxInt] }, "$outbox"),
          hasVersions: true,
          ...(until && { versionsExpireAt: { $min: ["$versionsExpireAt", until.expiresAt] } }),
        },
      },
      { $set: { outboxActors: where({ $eq: ["$outbox", []] }, "$$REMOVE", "$outboxActors") } },
    ];
    // Does not wait for a majority or the journal: if a crash undoes the update, the next call repeats it.
    const { matchedCount } = await collection.updateOne(documentId, update, call, {
      writeConcern: { w: 1, journal: false },
    });
    return matchedCount > 0;
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
  flush(call: CallContext): Promise<void> {
    return reading(() => moveVersions(this.#memory, call));
  }

  async #readTree(call: CallContext): Promise<PresentMemory | null> {
    const fields = { outbox: 1 };
    const scope = { paths: [], below: [ROOT], want: "pages", needsHead: true, fields } as const;
    const { head, tree, pages } = await loadPages(this.#memory, scope, call);
    if (head === undefined) return null;
    const described = describeMemory(this.#memory, head);
    const formerBounds = findFormerBounds(pages, tree);
    return { ...described, texts: listTexts(tree), tree: tree.snapshot(), formerBounds };
  }

  /** Reads the outbox, and then the texts that it needs from the pages, at one point in time. */
  #readPages(path: string | null, call: CallContext): Promise<PresentMemory | null> {
    return reading(() =>
      readAtOneMoment(() =>
        inSnapshot(this.#memory.client, async (moment) => {
          const head = await this.#findHead(null, moment, call);
          if (head === null) return null;
          const described = describeMemory(this.#memory, head);
          const recorded = described.changes.flatMap(({ files }) => files.map((file) => file.path));
          const paths = [...new Set([...recorded, ...(path === null ? [] : [path])])];
          const { tree } = await loadInSnapshot(this.#memory, { paths, below: [] }, moment, call);
          return { ...described, texts: listTexts(tree), isDirectory: path !== null && tree.isDirectory(path) };
        }),
      ),
    );
  }

  /** @param path whose text is needed besides; null for none */
  #findHead(path: string | null, moment: SnapshotOptions | null, call: CallContext): Promise<OutboxHead | null> {
    return reading(async () => {
      await this.#memory.ready();
      const texts = moment === null ? projectTexts(path) : {};
      return findHead(this.#memory, { ...headFields, ...texts }, call, moment ?? {});
    });
  }
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

function listTexts({ files }: MemoryTree): Map<string, string> {
  return new Map(Array.from(files.values(), ({ path, content }) => [path, content]));
}

function describeMemory({ address }: PagedMemory, head: MemoryDocument): Omit<PresentMemory, "texts"> {
  const { revision = 0, outbox = [] } = head;
  const memory = getIncarnation(head);
  const owner = { _id: memory, ...address };
  const documentId = lookUpIncarnation(head);
  return { documentId, memory, revision, changes: outbox.map(recordedChange), owner };
}

/** Moves recorded changes from the head of a memory into the collection of versions. */
export function moveVersions(memory: PagedMemory, call: CallContext): Promise<void> {
  const { expiry, versions, clock, address } = memory;
  const expiresAt = expiry.versionsExpireAt(address.scope, clock())?.expiresAt ?? null;
  return flush(new OutboxSource(memory), versions, expiresAt, call);
}
