import type { CallContext } from "../../../core/runtime/call.js";
import type { ClientSession, FindOptions } from "mongodb";
import type { CheckedAddress } from "../../../core/values/address.js";
import type { MemoryEntry, MemoryOutline, MemorySnapshot, OutlineOptions } from "../../../core/memory.js";
import { getParents, ROOT } from "../../../core/values/paths.js";
import type { PlannedWrite } from "../contract/stored-memory.js";
import type { CandidateFiles } from "../../../core/contract/candidate-files.js";
import type { MemoryTree } from "../../../core/tree/memory-tree.js";
import type { VersionedSnapshot } from "../../../core/tree/snapshot.js";
import { storageError } from "../../driver/errors.js";
import { asPlainValues } from "../../driver/plain-values.js";
import { atOneMoment, inSnapshot, readAtOneMoment } from "../../driver/snapshot-reads.js";
import {
  getChildRange,
  idOfPath,
  type IdRange,
  type IndexedDocument,
  getMemoryKey,
  pathOfId,
  rangeOfMemory,
  rangesBelow,
  getRootId,
  type StoredDocument,
  type StoredRoot,
} from "./documents.js";
import { byId, listingIndex, listingProjection } from "./file-indexes.js";
import { type FilesContext, readAcknowledged, refuseElsewhere } from "./files-context.js";
import { LoadedTree } from "./changes/loaded-tree.js";
import { FilesOutline } from "./files-outline.js";
import { FilesExpiry } from "./files-expiry.js";
import { narrowedSearch, snapshotSince } from "./files-search.js";

/** How many documents one batch contains. The server also ends a batch at 16 MB. */
const batchSize = 1000;

/** Reads from the index alone. */
const listing = { projection: listingProjection, hint: listingIndex.name, batchSize, ...asPlainValues } as const;

/** The commands that read the documents of one memory. */
export class FileReads {
  readonly #context: FilesContext;
  readonly #key: string;
  readonly #expiry: FilesExpiry;

  constructor(context: FilesContext, address: CheckedAddress) {
    this.#context = context;
    this.#expiry = new FilesExpiry(context, address);
    this.#key = getMemoryKey(address);
  }

  /** Reads the projected document of a path. Null if the path has no document and the memory has not moved. */
  find(path: string, projection: Record<string, 0 | 1>, call: CallContext): Promise<StoredDocument | null> {
    const _id = idOfPath(this.#key, path);
    return this.#reading(
      null,
      async () => {
        const found = await this.#context.collection.findOne<StoredDocument>(
          { _id },
          { projection, ...asPlainValues, ...readAcknowledged(this.#context) },
          call,
        );
        if (path === ROOT) refuseElsewhere(this.#context, found);
        return found === null && path !== ROOT ? this.#findWithRoot(_id, projection, call) : found;
      },
      call,
    );
  }

  /**
   * Reads the document again, together with the root in one snapshot: the memory may have moved away and back between
   * two commands.
   */
  #findWithRoot(_id: string, projection: Record<string, 0 | 1>, call: CallContext): Promise<StoredDocument | null> {
    return readAtOneMoment(async () => {
      const options = { ...asPlainValues, ...atOneMoment, ...byId, projection: { ...projection, _id: 1 } };
      const found = await this.#context.collection
        .find<StoredDocument>({ _id: { $in: [this.#rootId, _id] } }, options, call)
        .toArray();
      refuseElsewhere(
        this.#context,
        found.find((each) => each._id === this.#rootId),
      );
      return found.find((each) => each._id === _id) ?? null;
    });
  }

  /** Reads the texts of the files that exist, in one snapshot. */
  texts(paths: readonly string[], call: CallContext): Promise<Map<string, string>> {
    return this.#readingAtOneMoment(
      new Map<string, string>(),
      async () => {
        const ids = [this.#rootId, ...paths.map((path) => idOfPath(this.#key, path))];
        const options = { projection: { text: 1, kind: 1 }, ...asPlainValues, ...atOneMoment, ...byId, batchSize };
        const texts = new Map<string, string>();
        let root: StoredDocument | undefined;
        for await (const document of this.#context.collection.find<StoredDocument>(
          { _id: { $in: ids } },
          options,
          call,
        )) {
          if (document._id === this.#rootId) root = document;
          else if (document.kind === "file") texts.set(pathOfId(this.#key, document._id), document.text);
        }
        refuseElsewhere(this.#context, root);
        return texts;
      },
      call,
    );
  }

  /** Reads all documents of the memory except the root, or those at some paths, in one snapshot. */
  async documents(paths: readonly string[] | null, call: CallContext): Promise<StoredDocument[]> {
    const found = await this.withRoot(paths, call);
    return [...(found?.values() ?? [])].filter(({ _id }) => _id !== this.#rootId);
  }

  /**
   * Reads the part of the tree that changes concern, without texts: their paths, and the children of deleted
   * directories.
   */
  kinds(changes: readonly PlannedWrite[], call: CallContext): Promise<MemoryTree> {
    const paths = new Set(changes.flatMap(({ path }) => [path, ...getParents(path)]));
    const ids = { _id: { $in: Array.from(paths, (path) => idOfPath(this.#key, path)) } };
    const children = changes
      .filter(({ kind }) => kind === "deleteDirectory")
      .map(({ path }) => ({ _id: getChildRange(this.#key, path) }));
    return this.#readingAtOneMoment(
      new LoadedTree(new Map(), null),
      async () => {
        const found = await this.#context.collection
          .find<IndexedDocument>(
            { $or: [{ _id: this.#rootId }, ids, ...children] },
            { ...listing, ...atOneMoment },
            call,
          )
          .toArray();
        const documents = new Map(found.map((document) => [pathOfId(this.#key, document._id), document]));
        refuseElsewhere(this.#context, documents.get(ROOT));
        documents.delete(ROOT);
        return new LoadedTree(documents, null);
      },
      call,
    );
  }

  /** Whether the memory has no files and directories. */
  isEmpty(call: CallContext): Promise<boolean> {
    return this.#readingAtOneMoment(
      true,
      async () => {
        const found = await this.#context.collection
          .find<IndexedDocument>(
            { _id: this.#rootWithChildren },
            { projection: { kind: 1 }, ...byId, ...asPlainValues, ...atOneMoment, limit: 2 },
            call,
          )
          .toArray();
        refuseElsewhere(
          this.#context,
          found.find(({ _id }) => _id === this.#rootId),
        );
        return found.every(({ _id }) => _id === this.#rootId);
      },
      call,
    );
  }

  /** Reads the children of a directory. Null if the path does not exist. */
  list(path: string, call: CallContext): Promise<MemoryEntry[] | "file" | null> {
    const id = idOfPath(this.#key, path);
    const children = { _id: getChildRange(this.#key, path) };
    const find = (filter: object): Promise<IndexedDocument[]> =>
      this.#context.collection.find<IndexedDocument>(filter, { ...listing, ...atOneMoment }, call).toArray();
    return this.#readingAtOneMoment<MemoryEntry[] | "file" | null>(
      path === ROOT ? [] : null,
      async () => {
        let found = await find(path === ROOT ? { _id: this.#rootWithChildren } : children);
        // Only a directory can have children. If there are none, the path itself must be read too.
        if (found.length === 0 && path !== ROOT)
          found = await find({ $or: [{ _id: { $in: [this.#rootId, id] } }, children] });
        const below = found.filter(({ _id }) => _id !== id && _id !== this.#rootId);
        if (below.length === 0) {
          refuseElsewhere(
            this.#context,
            found.find(({ _id }) => _id === this.#rootId),
          );
          const kind = found.find(({ _id }) => _id === id)?.kind;
          if (path !== ROOT && kind !== "dir") return kind ?? null;
        }
        const start = children._id.$gte.length;
        return below.map(({ _id, kind }) => ({ name: _id.slice(start), kind }));
      },
      call,
    );
  }

  /**
   * Reads the size in bytes of all files below a directory. Null if there is no directory at the path. The root always
   * exists.
   */
  sizeBelow(path: string, call: CallContext): Promise<number | null> {
    const id = idOfPath(this.#key, path);
    const isOwn = { $and: [{ $eq: ["$_id", { $literal: id }] }, { $eq: ["$kind", "dir"] }] };
    const rootKind = { $max: { $cond: [{ $eq: ["$_id", { $literal: this.#rootId }] }, "$kind", null] } };
    const pipeline = [
      {
        $match: {
          $or: [{ _id: { $in: [this.#rootId, id] } }, ...rangesBelow(this.#key, path).map((_id) => ({ _id }))],
        },
      },
      { $group: { _id: null, sizeBytes: { $sum: "$sizeBytes" }, isThere: { $max: isOwn }, rootKind } },
    ];
    return this.#readingAtOneMoment(
      path === ROOT ? 0 : null,
      async () => {
        const options = { ...asPlainValues, ...atOneMoment, hint: listingIndex.name };
        const [found] = await this.#context.collection
          .aggregate<{ sizeBytes: number; isThere: boolean; rootKind: string | null }>(pipeline, options, call)
          .toArray();
        refuseElsewhere(this.#context, found?.rootKind ? { kind: found.rootKind } : undefined);
        if (found?.isThere !== true && path !== ROOT) return null;
        return found?.sizeBytes ?? 0;
      },
      call,
    );
  }

  snapshot(call: CallContext): Promise<MemorySnapshot> {
    return this.#readingAtOneMoment<MemorySnapshot>(
      { files: [], directories: [], revision: null },
      () => this.#snapshot(atOneMoment, call),
      call,
    );
  }

  async #snapshot(options: FindOptions, call: CallContext): Promise<MemorySnapshot> {
    const snapshot: MemorySnapshot = { files: [], directories: [], revision: null };
    const found = this.#context.collection.find<StoredDocument>(
      { _id: rangeOfMemory(this.#key) },
      { ...asPlainValues, ...byId, ...options, batchSize },
      call,
    );
    let root: StoredDocument | undefined;
    for await (const document of found) {
      const path = pathOfId(this.#key, document._id);
      if (document.kind === "file") {
        const { kind, text: content, sizeBytes, createdAt, updatedAt } = document;
        snapshot.files.push({ path, kind, content, sizeBytes, createdAt, updatedAt });
      } else if (path !== ROOT) snapshot.directories.push(path);
      else root = document;
    }
    refuseElsewhere(this.#context, root);
    return snapshot;
  }

  snapshotSince(known: ReadonlyMap<string, string>, call: CallContext): Promise<VersionedSnapshot> {
    return this.#readingAtOneMoment<VersionedSnapshot>(
      { files: [], directories: [] },
      () => snapshotSince(this.#context, this.#key, known, call),
      call,
    );
  }

  /**
   * Returns null if the store has no index of words, if the index is no help for the query, or if the memory has
   * expired.
   */
  async narrow(query: string, path: string, call: CallContext): Promise<CandidateFiles | null> {
    const { narrowsAbove = null } = this.#context;
    if (narrowsAbove === null) return null;
    return this.#readingAtOneMoment(
      null,
      () => narrowedSearch({ ...this.#context, narrowsAbove }, this.#key, query, path, call),
      call,
    );
  }

  outline(wanted: Required<OutlineOptions>, call: CallContext): Promise<MemoryOutline> {
    return this.#readingAtOneMoment<MemoryOutline>(
      { files: [], directories: [], revision: null },
      () =>
        inSnapshot(this.#context.transactions.client, (session) =>
          new FilesOutline(this.#context, this.#key, session, wanted, call).read(),
        ),
      call,
    );
  }

  /** Reads the root, which is the document of the memory itself. */
  root(call: CallContext): Promise<StoredRoot | null> {
    return this.#reading(null, () => this.#root({}, call), call);
  }

  /** Reads the root, as seen in a transaction. */
  rootIn(session: ClientSession, call: CallContext): Promise<StoredRoot | null> {
    return this.#root({ session }, call);
  }

  async #root(options: FindOptions, call: CallContext): Promise<StoredRoot | null> {
    const root = await this.#context.collection.findOne<StoredRoot>(
      { _id: this.#rootId },
      { ...asPlainValues, ...options },
      call,
    );
    refuseElsewhere(this.#context, root);
    return root;
  }

  /** Reads some of the documents with the root, or all, in one snapshot. Null if the memory has expired. */
  withRoot(paths: readonly string[] | null, call: CallContext): Promise<Map<string, StoredDocument> | null> {
    const _id =
      paths === null ? rangeOfMemory(this.#key) : { $in: [ROOT, ...paths].map((path) => idOfPath(this.#key, path)) };
    return this.#readingAtOneMoment<Map<string, StoredDocument> | null>(
      null,
      async () => {
        const found = await this.#context.collection
          .find<StoredDocument>({ _id }, { ...asPlainValues, ...atOneMoment, ...byId, batchSize }, call)
          .toArray();
        const documents = new Map(found.map((document) => [pathOfId(this.#key, document._id), document]));
        refuseElsewhere(this.#context, documents.get(ROOT));
        return documents;
      },
      call,
    );
  }

  get #rootId(): string {
    return getRootId(this.#key);
  }

  /** The root and its children, which are adjacent. */
  get #rootWithChildren(): IdRange {
    return { ...getChildRange(this.#key, ROOT), $gte: this.#rootId };
  }

  /** @param missing the result for an expired memory */
  async #reading<T>(missing: T, read: () => Promise<T>, call: CallContext): Promise<T> {
    try {
      await this.#context.ready();
      if (await this.#expiry.isPresent(call)) return await read();
      refuseElsewhere(this.#context, null);
      return missing;
    } catch (error) {
      throw storageError(error, "read", null);
    }
  }

  #readingAtOneMoment<T>(missing: T, read: () => Promise<T>, call: CallContext): Promise<T> {
    return this.#reading(missing, () => readAtOneMoment(read), call);
  }
}
